"""The command ``citehop``: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command and leave with its exit code: 0 done, 1 failure, 2 usage, 130 interrupted."""
    from citehop.cli.app import app
    from citehop.errors import CitehopError

    try:
        app(prog_name="citehop")
    except CitehopError as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        complain("interrupted; nothing was changed")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the pipe has gone; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def say(message: str) -> None:
    """Say something on standard error that is no complaint."""
    sys.stderr.write(f"{message}\n")


def complain(message: str) -> None:
    """Say on standard error what went wrong."""
    sys.stderr.write(f"citehop: {message}\n")
