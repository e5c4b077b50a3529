"""The command `repose` of the wheel: replaces this process by the program that the wheel holds."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).with_name("bin") / "repose-command"
    os.execv(program, ["repose", *sys.argv[1:]])
