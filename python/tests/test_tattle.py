"""Tests of the package tattle. They need the program, and neither a network nor numpy."""

import importlib.util
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import tattle

QUICK = {"attacks": "logistic", "permutations": 99, "no_defences": True, "progress": False}


def people(n=240):
    """Scores of three classes that carry s, and their labels."""
    r = random.Random(1)
    scores, y, s = [], [], []
    for _ in range(n):
        label, secret, z = r.randrange(3), r.randrange(2), [r.gauss(0, 1) for _ in range(3)]
        z[label] += 4
        z[(label + 1) % 3] += 6 * (secret - 0.5)
        scores.append(z), y.append(label), s.append("fm"[secret])
    return scores, y, s


class Frame(list):
    """Like a frame of pandas."""

    def __init__(self, columns, rows):
        super().__init__(rows)
        self.columns = columns


class Array:
    """Like an array of numpy, which is no sequence."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values


class NA:
    """Like pandas.NA."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


STUBBORN = """import os, signal, sys, time

def end(*_):
    print("x" * 200000, file=sys.stderr)
    sys.exit(3)

signal.signal(signal.SIGTERM, end)
print(os.getpid(), file=sys.stderr, flush=True)
time.sleep(60)
"""


class Audit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scores, cls.y, cls.s = people()
        cls.found = tattle.audit(cls.scores, y=cls.y, s={"sex": cls.s}, **QUICK)

    def test_figures(self):
        self.assertEqual(self.found.verdict, "leaky beyond the target")
        self.assertEqual((self.found.status, self.found.folder), (0, None))
        excess = self.found.claim("excess", "sex")
        self.assertEqual((excess.kind, excess.value.unit, excess.n), ("demonstrated", "points", 240))
        self.assertTrue(0.2 < excess.value.low < excess.value.x < excess.value.high < 0.6)
        self.assertIn("beyond.excess", [f.code for f in self.found.findings])
        with self.assertRaisesRegex(KeyError, "there are: .*excess"):
            self.found.claim("nothing")

    def test_words(self):
        self.assertIn("sex is guessed right for", str(self.found))
        screen = self.found._repr_html_()
        self.assertTrue(screen.startswith("<iframe") and "What was found" in screen and "What to do" not in screen)

    def test_files(self):
        with tempfile.TemporaryDirectory() as d:
            lines = ["y,s1,a,b,c"] + [f"{y},{s},{z[0]},{z[1]},{z[2]}" for z, y, s in zip(self.scores, self.y, self.s)]
            path = pathlib.Path(d, "scores.csv")
            path.write_text("\n".join(lines))
            heard = []
            found = tattle.audit(path, y="y", s="s1", columns="a,b,c", out=f"{d}/run", **{**QUICK, "progress": heard.append})
            self.assertEqual(found.claim("excess").value, self.found.claim("excess").value)
            self.assertTrue((found.folder / "report.html").exists())
            self.assertTrue(all(line.startswith("tattle: ") for line in heard))
            with self.assertRaises(tattle.TattleError):  # not the report that is there
                tattle.audit(path, y="y", s="s1", columns="a,b,c,d", out=f"{d}/run", **QUICK)

    def test_errors(self):
        with self.assertRaises(tattle.TattleError) as e:
            tattle.audit("missing.csv", progress=False)
        self.assertRegex(str(e.exception), "missing.csv")
        with self.assertRaises(tattle.TattleError) as e:
            tattle.audit(self.scores, y=self.y, s=self.s, margni=3, progress=False)
        self.assertEqual(e.exception.status, 2)
        self.assertRegex(e.exception.message, "unknown flag --margni")
        for wrong, kind, says in (({"y": self.y[1:], "s": self.s}, ValueError, "y has 239 rows"), ({"s": {"y": self.s}}, ValueError, "taken")):
            with self.assertRaisesRegex(kind, says):
                tattle.audit(self.scores, **wrong)
        with self.assertRaisesRegex(TypeError, "name of a column"):
            tattle.audit("scores.csv", y=self.y)
        with self.assertRaisesRegex(TypeError, "describe rows"):
            tattle.bound(s=self.s)

    def test_missing(self):
        names = ["c", "a", "b"]  # not in the order of the letters
        for y in [names[y] for y in self.y[1:]], [float(y) for y in self.y[1:]]:
            frame = Frame(names if isinstance(y[0], str) else [0, 1, 2], self.scores)
            found = tattle.audit(frame, y=[math.nan, *y], s=[NA(), *self.s[1:]], **QUICK)
            self.assertEqual(found.claim("excess").n, 239)
            self.assertGreater(found.claim("honesty").value.x, 0.8)
            with self.assertRaisesRegex(ValueError, "y holds 'x', which is no column of outputs"):
                tattle.audit(frame, y=["x", *y], s=self.s, **QUICK)

    def test_labels(self):
        people = [2**64 + i // 2 for i in range(240)]  # no float holds them apart
        found = tattle.audit([Array(z) for z in self.scores], y=self.y, s=self.s, group=people, **QUICK)
        by_text = tattle.audit(self.scores, y=self.y, s=self.s, group=[str(p) for p in people], **QUICK)
        self.assertEqual(found.claims, by_text.claims)
        with self.assertRaisesRegex(TypeError, "scores or vectors"):
            tattle.audit(self.scores, vectors=self.scores, y=self.y, s=self.s)

    def test_failed_run_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as d:
            with self.assertRaises(tattle.TattleError):
                tattle.audit([[math.nan] * 3, *self.scores[1:]], y=self.y, s=self.s, out=f"{d}/a/run", **QUICK)
            self.assertEqual(os.listdir(f"{d}/a"), [])
            tattle.audit(self.scores, y=self.y, s=self.s, out=f"{d}/a/run", **QUICK)
            self.assertEqual(sorted(os.listdir(f"{d}/a")), ["run", "run-arrays.npz"])

    @unittest.skipIf(os.name == "nt", "signals")
    def test_interrupt(self):
        with tempfile.TemporaryDirectory() as d:
            program = pathlib.Path(d, "program")
            program.write_text(f"#!{sys.executable}\n" + STUBBORN)
            program.chmod(0o755)
            heard = []

            def stop(line):
                heard.append(line)
                raise KeyboardInterrupt

            with unittest.mock.patch.dict(os.environ, TATTLE_BINARY=str(program)), self.assertRaises(KeyboardInterrupt):
                tattle.audit(self.scores, y=self.y, s=self.s, progress=stop)
            with self.assertRaises(ProcessLookupError):
                os.kill(int(heard[0]), 0)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_numpy(self):
        import numpy
        found = tattle.audit(numpy.array(self.scores), y=numpy.array(self.y), s={"sex": numpy.array(self.s)}, **QUICK)
        self.assertEqual(found.claims, self.found.claims)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas
        names = ["c", "a", "b"]  # not in the order of the letters
        frame = pandas.DataFrame(self.scores, columns=names)
        found = tattle.audit(frame, y=pandas.Series([names[y] for y in self.y]), s=pandas.Series(self.s, name="sex"), **QUICK)
        self.assertEqual(found.claim("honesty").value, self.found.claim("honesty").value)
        self.assertEqual(found.claim("excess", "sex").value, self.found.claim("excess", "sex").value)


class Release(unittest.TestCase):
    def test_vectors(self):
        r = random.Random(2)
        secret = [r.randrange(2) for _ in range(200)]
        x = [[r.gauss(v, 1) for _ in range(4)] for v in secret]
        labels = {"s": {"sex": ["fm"[v] for v in secret]}, "group": [f"p{i}" for i in range(200)]}
        found = tattle.bound(vectors=x, **labels, attack="none", examples=1, restarts=1, twins=0, progress=False)
        self.assertEqual(found.document["command"].split()[:2], ["tattle", "bound"])
        plan = tattle.design(vectors=x, **labels, identify="50%@20", methods="isotropic", list_draws=200, examples=1, progress=False)
        self.assertIn(plan.status, (0, 1))
        self.assertTrue(plan.verdict and plan.claims)


class CommandLine(unittest.TestCase):
    def test_module(self):
        p = subprocess.run([sys.executable, "-m", "tattle", "--version"], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertRegex(p.stdout, "^tattle ")

    def test_missing_program(self):
        env = {**os.environ, "TATTLE_BINARY": "/nowhere/tattle"}
        p = subprocess.run([sys.executable, "-m", "tattle"], capture_output=True, text=True, env=env)
        self.assertEqual(p.returncode, 2)
        self.assertRegex(p.stderr, "error: the program is not there, or cannot be executed: /nowhere/tattle\n.*hint: ")


if __name__ == "__main__":
    unittest.main()
