"""The command `repose` of the wheel: replaces this process by the program that the wheel holds. `repose analyse` is of this module."""

import os
import sys
from pathlib import Path


def main() -> None:
    if sys.argv[1:2] == ["analyse"]:
        from repose.analyse import main as analyse

        sys.exit(analyse(sys.argv[2:]))
    program = Path(__file__).with_name("bin") / "repose-command"
    os.execv(program, ["repose", *sys.argv[1:]])
