"""Arrays, columns and lists as an .npz file, without numpy."""

from __future__ import annotations

import array
import io
import struct
import sys
import zipfile
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

Column = Any  # an array, a column of pandas, a list; or the name of a column of a file
Columns = Union[Column, Mapping[str, Column]]

_RESERVED = ("outputs", "vectors", "y", "y_about", "person")


def names_of(kind: str, values: Any, y: Any, s: Any, group: Any) -> Dict[str, Any]:
    """Every array of the file by its name, all with as many rows as the values."""
    arrays: Dict[str, Any] = {kind: values}
    if y is not None:
        arrays["y"] = y
        classes = getattr(values, "columns", None)
        if classes is not None and kind == "outputs":
            arrays.update(_numbered([str(c) for c in classes], _plain(y)))
    if s is not None:
        columns = s if isinstance(s, Mapping) or hasattr(s, "columns") else {str(getattr(s, "name", None) or "s"): s}
        for name in columns.keys():
            if str(name) in _RESERVED:
                raise ValueError(f"s: the name {name!r} is taken: choose another one than {', '.join(_RESERVED)}")
            arrays[str(name)] = columns[name]
    if group is not None:
        arrays["person"] = group
    rows = len(values)
    for name, column in arrays.items():
        if name != "y_about" and len(column) != rows:
            raise ValueError(f"{name} has {len(column)} rows, and {kind} has {rows}: give one for each row")
    return arrays


def _numbered(classes: List[str], y: Any) -> Dict[str, Any]:
    """The target as places in the names of a frame's columns, where these are its classes."""
    labels = [str(v) for v in (y.tolist() if hasattr(y, "tolist") else y)]
    if not set(labels) <= set(classes):
        return {}
    return {"y": [classes.index(v) for v in labels], "y_about": ["y", *classes]}


def write_npz(path: str, arrays: Mapping[str, Any]) -> None:
    """Write arrays as numpy.savez would. The same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w") as z:
        for name, values in arrays.items():
            z.writestr(zipfile.ZipInfo(name + ".npy"), _npy(name, values))


def _plain(values: Any) -> Any:
    """An array, or a list."""
    for method in ("to_numpy", "__array__"):
        if hasattr(values, method) and not hasattr(values, "dtype" if method == "__array__" else "tobytes"):
            return getattr(values, method)()
    return values


def _npy(name: str, values: Any) -> bytes:
    values = _plain(values)
    dtype = getattr(values, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") in ("b", "f", "i", "u", "U"):
        return _header(dtype.str, tuple(values.shape)) + bytes(values.tobytes())
    rows = values.tolist() if hasattr(values, "tolist") else list(values)
    shape: Tuple[int, ...] = (len(rows),)
    if rows and isinstance(rows[0], Sequence) and not isinstance(rows[0], str):
        shape = (len(rows), len(rows[0]))
        if any(len(row) != shape[1] for row in rows):
            raise ValueError(f"{name}: rows differ in length")
        rows = [x for row in rows for x in row]
    if all(isinstance(x, int) for x in rows):
        return _header(_native("i8"), shape) + array.array("q", rows).tobytes()
    if all(isinstance(x, (int, float)) for x in rows):
        return _header(_native("f8"), shape) + array.array("d", rows).tobytes()
    texts = ["" if x is None or x != x else str(x) for x in rows]  # a missing label is empty
    width = max([1, *map(len, texts)])
    return _header(f"<U{width}", shape) + b"".join(t.ljust(width, "\0").encode("utf-32-le") for t in texts)


def _native(kind: str) -> str:
    return ("<" if sys.byteorder == "little" else ">") + kind


def _header(descr: str, shape: Tuple[int, ...]) -> bytes:
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")
