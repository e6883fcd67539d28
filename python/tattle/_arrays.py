"""Arrays, columns and lists as an .npz file, without numpy."""

from __future__ import annotations

import array
import math
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
            arrays.update(_numbered([_label(c) for c in classes], [_label(v) for v in _listed(y)]))
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


def _numbered(classes: List[str], labels: List[str]) -> Dict[str, Any]:
    """The target as places in the names of a frame's columns, where these are its classes."""
    unknown = set(labels) - {"", *classes}
    if not set(labels) & set(classes):
        return {}
    if unknown:
        raise ValueError(f"y holds {min(unknown)!r}, which is no column of outputs: the columns are {', '.join(classes)}")
    return {"y": [classes.index(v) if v else -1 for v in labels], "y_about": ["y", *classes]}


def _missing(value: Any) -> bool:
    """Whether it is None, not a number, or what pandas takes for missing."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True


def _label(value: Any) -> str:
    """The text of a label: 1 and 1.0 are one, and a missing one is empty."""
    whole = isinstance(value, float) and value.is_integer()
    return "" if _missing(value) else str(int(value) if whole else value)


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


def _listed(values: Any) -> List[Any]:
    """The entries, or rows, as what Python has itself."""
    values = _plain(values)
    entries = values.tolist() if hasattr(values, "tolist") else values
    return [x.tolist() if hasattr(x, "tolist") else x for x in entries]


def _npy(name: str, values: Any) -> bytes:
    values = _plain(values)
    dtype = getattr(values, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") in ("b", "f", "i", "u", "U"):
        return _header(dtype.str, tuple(values.shape)) + bytes(values.tobytes())
    rows = _listed(values)
    shape: Tuple[int, ...] = (len(rows),)
    if rows and isinstance(rows[0], Sequence) and not isinstance(rows[0], str):
        shape = (len(rows), len(rows[0]))
        if any(len(row) != shape[1] for row in rows):
            raise ValueError(f"{name}: rows differ in length")
        rows = [x for row in rows for x in row]
    if all(isinstance(x, int) and -(1 << 63) <= x < 1 << 63 for x in rows):
        return _header(_native("i8"), shape) + array.array("q", rows).tobytes()
    rows = [None if _missing(x) else x for x in rows]
    if any(x is not None for x in rows) and all(x is None or isinstance(x, float) or isinstance(x, int) and abs(x) <= 1 << 53 for x in rows):
        return _header(_native("f8"), shape) + array.array("d", (math.nan if x is None else x for x in rows)).tobytes()
    texts = ["" if x is None else str(x) for x in rows]  # so are whole numbers that no float holds
    width = max([1, *map(len, texts)])
    return _header(f"<U{width}", shape) + b"".join(t.ljust(width, "\0").encode("utf-32-le") for t in texts)


def _native(kind: str) -> str:
    return ("<" if sys.byteorder == "little" else ">") + kind


def _header(descr: str, shape: Tuple[int, ...]) -> bytes:
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")
