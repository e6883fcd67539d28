"""The program tattle: where it is, and one run of it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._report import Report

Flag = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[str]]
Progress = Union[bool, Callable[[str], None]]


class TattleError(Exception):
    """The program could not do what it was asked for. The text is the line that it printed."""

    def __init__(self, message: str, hint: str = "", status: int = 3) -> None:
        super().__init__(f"{message}\nhint: {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.status = status  # 2: wrong usage, 3: could not finish


def program() -> str:
    """The path of the program: TATTLE_BINARY, or the one in this package, or the one on PATH."""
    name = "tattle.exe" if os.name == "nt" else "tattle"
    given = os.environ.get("TATTLE_BINARY")
    carried = pathlib.Path(__file__).with_name("bin") / name
    found = shutil.which(given or (str(carried) if carried.exists() else name))
    if not found:
        raise TattleError(f"the program is not there, or cannot be executed: {given or 'it is neither in the package nor on PATH'}",
                          "install the wheel of this platform, or set TATTLE_BINARY to the path of tattle", 2)
    return found


def run(command: str, flags: Mapping[str, Flag], write: Optional[Callable[[str], None]],
        out: "Union[None, str, os.PathLike[str]]", progress: Progress) -> Report:
    """Run a command and read its report. The first flag names the file that write makes, if there is one."""
    with tempfile.TemporaryDirectory(prefix="tattle-") as scratch:
        folder = pathlib.Path(scratch, "run") if out is None else pathlib.Path(out)
        given = dict(flags)
        path = program()
        with contextlib.ExitStack() as undo:
            if write is not None:
                given[next(iter(flags))] = _input(write, scratch, None if out is None else folder, undo)
            before = _stamp(folder)
            status, error, hint = _execute([path, command, *_arguments(given), "--out", str(folder)], progress)
            written = _stamp(folder)
            if status not in (0, 1, 3) or written is None or written == before and status:
                raise TattleError(error or f"tattle ended with status {status}", hint, status)
            undo.pop_all()
        report = Report.read(folder, status)
    report.folder = None if out is None else folder
    return report


def _input(write: Callable[[str], None], scratch: str, out: Optional[pathlib.Path], undo: contextlib.ExitStack) -> str:
    """The path of the arrays: beside the folder of a run that is kept, as its report names them. Undo takes a new file away."""
    path = os.path.join(scratch, "arrays.npz")
    write(path)
    if out is None:
        return path
    kept = out.with_name(out.name + "-arrays.npz")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        undo.callback(kept.unlink)
        shutil.copyfile(path, kept)
    elif kept.read_bytes() != pathlib.Path(path).read_bytes():
        raise FileExistsError(f"{kept} holds the arrays of another run: choose another folder with out")
    return str(kept)


def _arguments(flags: Mapping[str, Flag]) -> List[str]:
    args: List[str] = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            args.append(flag)
        elif isinstance(value, (list, tuple)):
            args += [f"{flag}={v}" for v in value]
        elif value is not None and value is not False:
            args.append(f"{flag}={value}")
    return args


def _stamp(folder: pathlib.Path) -> Optional[Tuple[int, int]]:
    try:
        stat = (folder / "report.json").stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino


def _execute(args: Sequence[str], progress: Progress) -> Tuple[int, str, str]:
    """Run the program: its status, and its error and hint if there are some."""
    said: Dict[str, str] = {}
    p = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    assert p.stderr is not None
    try:
        for line in p.stderr:
            kind, _, text = line.rstrip("\n").partition("tattle: ")[2].partition(": ")
            if kind in ("error", "hint"):
                said[kind] = text
            elif callable(progress):
                progress(line.rstrip("\n"))
            elif progress:
                print(line, end="", file=sys.stderr, flush=True)
        status = p.wait()
    except BaseException:  # an interrupt of the notebook reaches only this process
        p.send_signal(signal.SIGTERM)
        p.stderr.read()  # a full pipe would stop it
        p.wait()
        raise
    finally:
        p.stderr.close()
    return status, said.get("error", ""), said.get("hint", "")
