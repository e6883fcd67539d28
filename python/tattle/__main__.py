"""python -m tattle is the command line."""

import os
import subprocess
import sys

from ._program import TattleError, program


def main() -> int:
    """Become the program, with the arguments of this process."""
    try:
        path = program()
    except TattleError as e:
        print(f"tattle: error: {e.message}\ntattle: hint: {e.hint}", file=sys.stderr)
        return e.status
    if os.name != "nt":
        os.execv(path, ["tattle", *sys.argv[1:]])
    return subprocess.call([path, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
