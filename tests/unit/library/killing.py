"""Processes that are killed while they work."""

from __future__ import annotations

import signal
import subprocess
import sys
import time


def kill_within(seconds: float, program: str, *arguments: str) -> None:
    """Run a Python program, and kill it so long after it said that it is ready."""
    child = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    child.communicate()
