"""`python -m repose`: the command, with `analyse` besides."""

from repose.command import main

main()
