"""The command ``citehop``: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path

INTERRUPTED = 130
"""Exit code of a command that was stopped with Ctrl-C."""


def main() -> None:
    """Run the command and leave with its exit code: 0 done, 1 failure, 2 usage, 130 interrupted."""
    _prepare_output()
    from citehop.cli.app import app
    from citehop.errors import CitehopError

    # What a library logs is said again, and better, by the errors that come of it.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    try:
        try:
            app(prog_name="citehop")
        except SystemExit as left:
            if left.code == INTERRUPTED:  # typer leaves so, without a word
                complain("interrupted")
            raise
        finally:
            # Here and not when Python ends, so that a failure to write is seen below.
            sys.stdout.flush()
    except CitehopError as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the pipe has gone; what is still buffered has nowhere to go.
        _drop_output()
        sys.exit(1)
    except OSError as error:
        _drop_output()
        complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        sys.exit(1)


def _prepare_output() -> None:
    """Let any sign be written, as an escape where need be; what is closed swallows it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    with suppress(OSError):  # an output of another kind has no number, and nothing to drop
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str) -> None:
    """Say something on standard error that is no complaint."""
    sys.stderr.write(f"{message}\n")


def complain(message: str) -> None:
    """Say on standard error what went wrong."""
    sys.stderr.write(f"citehop: {message}\n")
