"""Measure what a machine-learned model gives away about its inputs.

>>> import tattle
>>> found = tattle.audit(scores, y=y, s={"sex": sex}, group=person)
>>> found.verdict
'leaky beyond the target'
>>> found.claim("excess", "sex").value.low
0.347

Arrays of numpy, columns and frames of pandas, lists, and paths of files are taken. Every function runs the program
tattle, which the wheel carries, and returns its report. In a notebook a report shows its first screen. Flags of the
program that have no parameter here are keywords: ``--max-fit 500`` is ``max_fit=500``, and ``--no-defences`` is
``no_defences=True``.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Union

from ._arrays import Column, Columns, names_of, write_npz
from ._program import Flag, Progress, TattleError, program, run
from ._report import Claim, Finding, Report, Value

__all__ = ["audit", "bound", "design", "program", "Claim", "Finding", "Report", "TattleError", "Value"]

Path = Union[str, "os.PathLike[str]"]


def audit(scores: Any = None, *, y: Optional[Column] = None, s: Optional[Columns] = None, group: Optional[Column] = None,
          vectors: Any = None, out: Optional[Path] = None, progress: Progress = True, **flags: Flag) -> Report:
    """Check whether outputs reveal a sensitive attribute.

    ``scores`` are the outputs of a classifier, [n, classes], in the order of its classes; ``vectors`` are embeddings,
    in their place. ``y`` is the true class of each row, ``s`` the sensitive attribute, or a dict or frame of several,
    and ``group`` says whose row it is. With a path of a CSV or .npz file, these three are names of its columns,
    and ``columns`` names those of the outputs. A verdict is no error: see ``Report.verdict``.
    """
    if scores is not None and vectors is not None:
        raise TypeError("give scores or vectors, and audit the other in a second call")
    flags.setdefault("fail_on", "never")
    kind = "outputs" if vectors is None else "vectors"
    return _measure("audit", kind, scores if vectors is None else vectors, y, s, group, out, progress, flags)


def design(*, vectors: Any = None, y: Optional[Column] = None, s: Optional[Columns] = None, group: Optional[Column] = None,
           out: Optional[Path] = None, progress: Progress = True, **flags: Flag) -> Report:
    """Find the release that keeps a promise at the lowest cost: ``design(vectors=x, identify="1%@1000")``.

    Promises are flags: ``identify``, ``protect``, ``floor`` and so on. If no release meets them, the report says so, and
    ``Report.status`` is 1. A model takes the place of vectors: ``design(model="net.onnx", data="mnist", …)``.
    """
    return _measure("design", "vectors", vectors, y, s, group, out, progress, flags)


def bound(*, vectors: Any = None, y: Optional[Column] = None, s: Optional[Columns] = None, group: Optional[Column] = None,
          out: Optional[Path] = None, progress: Progress = True, **flags: Flag) -> Report:
    """Measure what a release with noise reveals: ``bound(model="net.onnx", data="mnist", sigma_scale=2)``.

    ``vectors``, ``y``, ``s`` and ``group`` are those of ``audit``.
    """
    return _measure("bound", "vectors", vectors, y, s, group, out, progress, flags)


def _measure(command: str, kind: str, values: Any, y: Optional[Column], s: Optional[Columns], group: Optional[Column],
             out: Optional[Path], progress: Progress, flags: Dict[str, Flag]) -> Report:
    """Run a command on values of that kind and their labels."""
    if values is None and any(label is not None for label in (y, s, group)):
        raise TypeError(f"y, s and group describe rows: give {kind}, or name columns of a file by target=, sensitive= and group=")
    if values is None or isinstance(values, (str, os.PathLike)):
        named: Dict[str, Flag] = {} if values is None else {kind: os.fspath(values)}
        if kind == "outputs" and "columns" in flags:
            named["scores"] = flags.pop("columns")
        for flag, columns in (("target", y), ("sensitive", s), ("group", group)):
            if columns is not None:
                named[flag] = _column_names(flag, columns)
        return run(command, {**named, **flags}, None, out, progress)
    arrays = names_of(kind, values, y, s, group)
    if y is not None:
        flags.setdefault("target", "y")
    labels: List[str] = [name for name in arrays if name not in (kind, "y", "y_about", "person")]
    if labels:
        flags.setdefault("sensitive", labels)
    if group is not None:
        flags.setdefault("group", "person")
    return run(command, {kind: "", **flags}, lambda path: write_npz(path, arrays), out, progress)


def _column_names(flag: str, columns: Any) -> Union[str, List[str]]:
    """Columns of a file, which have names."""
    if isinstance(columns, str) or flag == "sensitive" and isinstance(columns, list) and all(isinstance(c, str) for c in columns):
        return columns
    raise TypeError(f"with the path of a file, {flag} is the name of a column, not {type(columns).__name__}")
