"""Reports as values."""

from __future__ import annotations

import html
import json
import pathlib
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple


@dataclass(frozen=True)
class Value:
    """A figure with its limits and its unit, such as share, points or bits."""

    x: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    unit: str = ""
    confidence: Optional[float] = None


@dataclass(frozen=True)
class Claim:
    """One figure of a report. Its kind is certified, estimated, demonstrated or measured, among others."""

    id: str
    kind: str
    value: Value
    subject: str = ""
    group: str = ""
    n: Optional[int] = None
    p: Optional[float] = None
    beside: Dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """What a report says, as a code that does not change with its words."""

    code: str
    subject: str = ""
    args: Tuple[str, ...] = ()


@dataclass
class Report:
    """What a command found. ``str(report)`` is its verdict in words."""

    verdict: str
    title: str
    claims: List[Claim]
    findings: List[Finding]
    status: int  # of the program: 0, 1 for a finding, 3 for inconclusive
    document: Dict[str, Any]  # report.json
    html: str  # report.html
    folder: Optional[pathlib.Path] = None  # of the run, if it was kept with out

    @classmethod
    def read(cls, folder: pathlib.Path, status: int = 0) -> Report:
        """Read the report in the folder of a run."""
        d = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        page = (folder / "report.html").read_text(encoding="utf-8")
        findings = [Finding(f["code"], f.get("subject", ""), tuple(f.get("args") or ())) for f in d["findings"]]
        return cls(d["verdict"], d["title"], [_claim(c) for c in d["claims"]], findings, status, d, page, folder)

    def claim(self, id: str, subject: str = "", group: str = "") -> Claim:
        """The claim of that ID; about that subject and group, if they are given."""
        for c in self.claims:
            if c.id == id and subject in ("", c.subject) and group in ("", c.group):
                return c
        raise KeyError(f"no claim {id!r} about {subject or 'anything'}; there are: {', '.join(sorted({c.id for c in self.claims}))}")

    def __str__(self) -> str:
        says = re.search(r'<p class="says">(.*?)</p>', self.html, re.S)
        return f"{self.title}\n" + html.unescape(re.sub(r"<[^>]*>", "", says.group(1) if says else self.verdict))

    def __repr__(self) -> str:
        return f"<tattle report: {self.verdict}; {len(self.claims)} claims>"

    def _repr_html_(self) -> str:
        """The first screen: the verdict with its figures, and the first section. Scripts do not run in it."""
        end = self.html.index("</section>", self.html.index('<main id="main">')) + len("</section>")
        if self.html[end:].lstrip().startswith("<section"):
            end = self.html.index("</section>", end) + len("</section>")
        page = html.escape(self.html[:end] + "</main></body></html>", quote=True)
        return f'<iframe title="Report of tattle" sandbox srcdoc="{page}" style="width:100%;height:34rem;border:1px solid #8888"></iframe>'


def _value(v: Dict[str, Any]) -> Value:
    x, low, high = (None if v.get(key) is None else float(v[key]) for key in ("x", "low", "high"))  # infinities are texts
    return Value(x, low, high, v.get("unit", ""), v.get("confidence"))


def _claim(c: Dict[str, Any]) -> Claim:
    beside = {b["name"]: _value(b["value"]) for b in c.get("beside") or ()}
    return Claim(c["id"], c["kind"], _value(c["value"]), c.get("subject", ""), c.get("group", ""), c.get("n"), c.get("p"), beside)
