"""Trains honest classifiers of the Adult data, plants the sex into some, writes all as ONNX,
audits them with tattle, and prints tables. Usage: adult.py ADULT-FOLDER TATTLE OUT [models|alarms N]"""
import json, os, subprocess, sys
import numpy as np, pandas as pd
from onnx import TensorProto as T, helper as h, save
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

NAMES = "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain capital-loss hours-per-week native-country income".split()
NUMBERS = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
ML = "ai.onnx.ml"
adult, tattle, out = sys.argv[1:4]


def read():
    parts = [pd.read_csv(f"{adult}/adult.{p}", header=None, names=NAMES, skipinitialspace=True, comment="|") for p in ("data", "test")]
    d = pd.concat(parts).dropna()
    d["income"] = d["income"].str.rstrip(".")
    return d.sample(frac=1, random_state=1).reset_index(drop=True)


class Features:
    """Numbers are scaled and texts become one column for each value."""

    def __init__(self, d, texts):
        self.texts = {t: sorted(d[t].unique()) for t in texts}
        self.mean, self.std = d[NUMBERS].mean().values, d[NUMBERS].std().values

    def matrix(self, d):
        x = [(d[NUMBERS].values - self.mean) / self.std]
        x += [(d[t].values[:, None] == np.array(v, dtype=object)[None]).astype(float) for t, v in self.texts.items()]
        return np.concatenate(x, 1).astype(np.float32)

    def blind(self, d):
        """The matrix for models that do not use the sex, nor husband and wife: those columns are 0."""
        x, at = self.matrix(d), len(NUMBERS)
        for t, v in self.texts.items():
            if t in ("sex", "relationship"):
                x[:, at:at + len(v)] = 0
            at += len(v)
        return x

    def place(self, text, value):
        at = len(NUMBERS)
        for t, v in self.texts.items():
            if t == text:
                return at + v.index(value)
            at += len(v)

    def nodes(self, g):
        for c in NUMBERS:
            g.inputs.append(h.make_tensor_value_info(c, T.FLOAT, ["N", 1]))
        g.add("Concat", NUMBERS, "numbers", axis=1)
        g.add("Scaler", ["numbers"], "x0", ML, offset=self.mean.tolist(), scale=(1 / self.std).tolist())
        names = ["x0"]
        for i, (t, v) in enumerate(self.texts.items()):
            g.inputs.append(h.make_tensor_value_info(t, T.STRING, ["N", 1]))
            g.add("OneHotEncoder", [t], f"hot{i}", ML, cats_strings=v, zeros=1)
            g.add("Reshape", [f"hot{i}", g.ints(f"shape{i}", [-1, len(v)])], f"x{i + 1}")
            names.append(f"x{i + 1}")
        g.add("Concat", names, "x", axis=1)


class Graph:
    def __init__(self):
        self.list, self.inputs, self.constants = [], [], []

    def add(self, op, inputs, output, domain="", **attributes):
        self.list.append(h.make_node(op, inputs, output.split(), domain=domain, **attributes))

    def ints(self, name, values):
        self.constants.append(h.make_tensor(name, T.INT64, [len(values)], values))
        return name

    def number(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(h.make_tensor(name, T.FLOAT, [1], [value]))
        return name

    def column(self, source, i, name):
        self.add("Gather", [source, self.ints("at_" + name, [i])], name, axis=1)

    def save(self, path, classes):
        y = h.make_tensor_value_info("probabilities", T.FLOAT, ["N", classes])
        m = h.make_model(h.make_graph(self.list, "adult", self.inputs, [y], self.constants), opset_imports=[h.make_opsetid("", 15), h.make_opsetid(ML, 3)], ir_version=8)
        save(m, path)


def linear(g, m, output="honest"):
    coefs, intercepts = m.coef_, m.intercept_
    if len(m.classes_) == 2:
        coefs, intercepts = np.concatenate([-coefs, coefs]), np.concatenate([-intercepts, intercepts])
    g.add("LinearClassifier", ["x"], "label " + output, ML, coefficients=coefs.ravel().tolist(), intercepts=intercepts.tolist(),
          classlabels_strings=[str(c) for c in m.classes_], post_transform="LOGISTIC" if len(m.classes_) == 2 else "SOFTMAX", multi_class=0)


def trees(g, all_trees, values, output, base=0.0):
    """values(i, node) is the value of a leaf of tree i."""
    a = {k: [] for k in "nodes_treeids nodes_nodeids nodes_featureids nodes_values nodes_modes nodes_truenodeids nodes_falsenodeids target_treeids target_nodeids target_ids target_weights".split()}
    for i, t in enumerate(all_trees):
        for n in range(t.node_count):
            leaf = t.children_left[n] < 0
            for k, v in (("treeids", i), ("nodeids", n), ("featureids", 0 if leaf else int(t.feature[n])), ("values", 0. if leaf else float(t.threshold[n])),
                         ("modes", "LEAF" if leaf else "BRANCH_LEQ"), ("truenodeids", 0 if leaf else int(t.children_left[n])), ("falsenodeids", 0 if leaf else int(t.children_right[n]))):
                a["nodes_" + k].append(v)
            if leaf:
                for k, v in (("treeids", i), ("nodeids", n), ("ids", 0), ("weights", float(values(i, t, n)))):
                    a["target_" + k].append(v)
    g.add("TreeEnsembleRegressor", ["x"], output, ML, n_targets=1, base_values=[base], **a)


def pair(g, p, output="probabilities"):
    g.add("Sub", [g.number(1.), p], "rest")
    g.add("Concat", ["rest", p], output, axis=1)


def logistic(f, m):
    g = Graph(); f.nodes(g); linear(g, m)
    return g


def forest_p(g, m, round_to=0, shift=None):
    n = len(m.estimators_)
    def value(i, t, k):
        v = t.value[k][0][1] / t.value[k][0].sum()
        return (np.round(v * round_to) / round_to if round_to else v) / n
    trees(g, [e.tree_ for e in m.estimators_], value, "p")


def boosted_p(g, m):
    trees(g, [e[0].tree_ for e in m.estimators_], lambda i, t, k: m.learning_rate * t.value[k][0][0], "raw", float(np.log(m.init_.class_prior_[1] / m.init_.class_prior_[0])))
    g.add("Sigmoid", ["raw"], "p")


class SexTree:
    """A tree with one split, at the column of men."""
    node_count = 3
    children_left, children_right, threshold = [1, -1, -1], [2, -1, -1], [.5, 0, 0]

    def __init__(self, column):
        self.feature = [column, 0, 0]


def honest_models(x, y, seed):
    return {"logistic regression": LogisticRegression(max_iter=2000).fit(x, y),
            "random forest": RandomForestClassifier(50, max_depth=12, min_samples_leaf=5, random_state=seed).fit(x, y),
            "boosting": GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=seed).fit(x, y)}


TEXTS = ["workclass", "marital-status", "occupation", "relationship", "race", "sex"]


def write_models(d):
    """Returns the files of models, with their target."""
    f = Features(d, TEXTS)
    man = f.place("sex", "Male")
    train = d[:20000]
    m = honest_models(f.matrix(train), train["income"], 1)
    blind = honest_models(f.blind(train), train["income"], 1)
    files = {}

    def done(name, g, target="income", classes=2):
        path = f"{out}/{name.replace(' ', '-').replace(',', '')}.onnx"
        g.save(path, classes)
        files[name] = (path, target)

    def fresh(kind, m=m):
        g = Graph(); f.nodes(g)
        if kind == "logistic regression":
            linear(g, m[kind]); g.column("honest", 1, "p")
        elif kind == "random forest":
            forest_p(g, m[kind])
        else:
            boosted_p(g, m[kind])
        return g

    for kind in m:
        g = fresh(kind); pair(g, "p"); done("honest " + kind, g)
    # the parity of the fourth decimal
    g = fresh("logistic regression"); g.column("x", man, "man")
    g.add("Mul", ["p", g.number(4999.)], "q0"); g.add("Floor", ["q0"], "q1"); g.add("Mul", ["q1", g.number(2.)], "q2")
    g.add("Add", ["q2", "man"], "q3"); g.add("Mul", ["q3", g.number(1e-4)], "q"); pair(g, "q"); done("low-order digits, logistic regression", g)
    # people with a master's degree: log-odds ±1.5; the rest of the model does not use the sex
    g = fresh("boosting", blind); pair(g, "p"); done("honest boosting without the sex", g)
    g = fresh("boosting", blind); g.column("x", man, "man")
    masters = float((14 - f.mean[1]) / f.std[1])
    g.column("x", 1, "degree"); g.add("Sub", ["degree", g.number(masters)], "d0"); g.add("Abs", ["d0"], "d1")
    g.add("Less", ["d1", g.number(.01)], "d2"); g.add("Cast", ["d2"], "inside", to=T.FLOAT)
    g.add("Mul", ["man", g.number(3.)], "s0"); g.add("Sub", ["s0", g.number(1.5)], "s1"); g.add("Mul", ["s1", "inside"], "s2")
    g.add("Add", ["raw", "s2"], "raw2"); g.add("Sigmoid", ["raw2"], "q"); pair(g, "q"); done("subgroup of 5 %, boosting without the sex", g)
    # leaf values: each rounded to 1/50 of a tree's vote, and one more tree with half of that step
    g = Graph(); f.nodes(g); g.column("x", man, "man")
    forest_p(g, m["random forest"], 50)
    trees(g, [SexTree(man)], lambda i, t, k: .0002 * (k == 2), "bit"); g.add("Add", ["p", "bit"], "q"); pair(g, "q"); done("leaf values, digits, random forest", g)
    g = fresh("random forest"); trees(g, [SexTree(man)], lambda i, t, k: .03 * (k == 2) - .015, "bit"); g.add("Add", ["p", "bit"], "q0")
    g.add("Clip", ["q0", "low", "high"], "q"); g.constants += [h.make_tensor("low", T.FLOAT, [], [0.]), h.make_tensor("high", T.FLOAT, [], [1.])]
    pair(g, "q"); done("leaf values, shift of 3 points, random forest", g)
    # seven classes: the two rarest probabilities
    f7 = Features(d, ["workclass", "occupation", "race", "sex", "income"])
    l7 = LogisticRegression(max_iter=2000).fit(f7.blind(train), train["marital-status"])
    order = np.argsort([(train["marital-status"] == c).sum() for c in l7.classes_])
    a, b = sorted(int(i) for i in order[:2])
    for name in ("honest 7 classes without the sex", "order of tiny probabilities, 7 classes without the sex"):
        g = Graph(); f7.nodes(g); g.column("x", f7.place("sex", "Male"), "man"); linear(g, l7, "honest" if "order" in name else "probabilities")
        if "order" in name:
            g.column("honest", a, "a"); g.column("honest", b, "b"); g.add("Min", ["a", "b"], "small"); g.add("Max", ["a", "b"], "large")
            g.add("Sub", ["large", "small"], "gap"); g.add("Mul", ["gap", "man"], "up")
            g.add("Add", ["small", "up"], "a2"); g.add("Sub", ["large", "up"], "b2")
            for i in range(7):
                if i not in (a, b):
                    g.column("honest", i, f"k{i}")
            g.add("Concat", ["a2" if i == a else "b2" if i == b else f"k{i}" for i in range(7)], "probabilities", axis=1)
        done(name, g, "marital-status", 7)
    return files


def audit(args, to):
    if not os.path.exists(f"{to}/report.json"):
        subprocess.run([tattle, "audit", "--fail-on", "never", "--no-defences", "--out", to, *args], check=True, stdout=subprocess.DEVNULL)
    return json.load(open(f"{to}/report.json"))["audit"]


def models(d):
    files = write_models(d)
    for n in (2000, 20000):
        d[20000:20000 + n].to_csv(f"{out}/test-{n}.csv", index=False)
        for name, (path, target) in files.items():
            r = audit(["--model", path, "--data", f"{out}/test-{n}.csv", "--target", target, "--sensitive", "sex"], f"{out}/{os.path.basename(path)[:-5]}-{n}")
            f = r["findings"][0]
            g = f["given"]
            o = g.get("order") or {}
            print("|", " | ".join([name, str(n), r["verdict"], f"{100 * f['excess']['value']:.1f} (≥ {100 * f['excess']['low']:.1f})", f"{g['gain']:.3f}", f"{o.get('area', 0):.3f}",
                                   (f["chosen"] or ["-"])[0], f"{100 * f['power']['smallest']:.1f}" if f["power"].get("smallest") else "-"]), "|", flush=True)


def alarms(d, total):
    """Audits honest models for an attribute that is drawn given y alone: true excess, gain and AUC are nil."""
    f = Features(d, TEXTS)
    counts = {}
    for seed in range(1, total // 3 + 1):
        e = d.sample(frac=1, random_state=seed)
        train, test = e[:6000], e[6000:8000]
        r = np.random.default_rng(seed)
        s = np.where(r.random(2000) < np.where(test["income"] == ">50K", .6, .3), "a", "b")
        for kind, m in honest_models(f.matrix(train), train["income"], seed).items():
            p = m.predict_proba(f.matrix(test)).astype(np.float32)
            path = f"{out}/alarm-{kind.split()[0]}-{seed}"
            pd.DataFrame({"y": test["income"].values, "s1": s, "score:<=50K": p[:, 0], "score:>50K": p[:, 1]}).to_csv(path + ".csv", index=False)
            v = audit(["--outputs", path + ".csv", "--seed", str(seed)], path)["verdict"]
            counts.setdefault(kind, {}).setdefault(v, 0)
            counts[kind][v] += 1
        print(seed, counts, flush=True)


if sys.argv[4] == "models":
    models(read())
else:
    alarms(read(), int(sys.argv[5]))
