package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/classical"
)

// Ensembles of trees.

// branchModes are the modes of nodes before version 5.
var branchModes = map[string]classical.Mode{
	"BRANCH_LEQ": classical.LessOrEqual, "BRANCH_LT": classical.Less, "BRANCH_GTE": classical.GreaterOrEqual,
	"BRANCH_GT": classical.Greater, "BRANCH_EQ": classical.Equal, "BRANCH_NEQ": classical.NotEqual,
}

// aggregates are the aggregate functions before version 5.
var aggregates = map[string]classical.Aggregate{"AVERAGE": classical.Average, "SUM": classical.Sum, "MIN": classical.Min, "MAX": classical.Max}

// forest reads the trees of versions 1 to 3, without votes: at says which child each node
// is, in the order of the file.
func (r *nodeReader) forest() (t *classical.Trees, at map[treeNode]int32) {
	trees, nodes := r.integers("nodes_treeids"), r.integers("nodes_nodeids")
	features, modes := r.integers("nodes_featureids"), r.strings("nodes_modes")
	yes, no := r.integers("nodes_truenodeids"), r.integers("nodes_falsenodeids")
	values, missing := r.doubles("nodes_values"), r.integers("nodes_missing_value_tracks_true")
	n := len(trees)
	mustBeAsLong(missing, n, len(nodes), len(features), len(modes), len(yes), len(no), len(values))
	t, at = &classical.Trees{Operator: r.node.op}, make(map[treeNode]int32, n)
	branches := int32(0)
	for i, id := range trees {
		key := treeNode{id, nodes[i]}
		if _, dup := at[key]; dup {
			panic(malformedf("node %d of tree %d is there twice", key.node, key.tree))
		}
		if modes[i] == "LEAF" {
			at[key] = ^int32(len(t.Leaves))
			t.Leaves = append(t.Leaves, nil)
		} else {
			at[key] = branches
			branches++
		}
		if i == 0 || id != trees[i-1] {
			t.Roots = append(t.Roots, at[key])
		}
	}
	t.Branches = make([]classical.Branch, 0, branches)
	for i, id := range trees {
		if modes[i] == "LEAF" {
			continue
		}
		mode, ok := branchModes[modes[i]]
		if !ok {
			panic(malformedf("node %d of tree %d has the mode %q", nodes[i], id, modes[i]))
		}
		b := classical.Branch{Value: values[i], Input: index32(features[i]), Mode: mode, MissingTrue: missing != nil && missing[i] == 1}
		for child, of := range map[*int32]int64{&b.True: yes[i], &b.False: no[i]} {
			to, ok := at[treeNode{id, of}]
			if !ok {
				panic(malformedf("node %d of tree %d leads to node %d, which is not there", nodes[i], id, of))
			}
			*child = to
		}
		t.Branches = append(t.Branches, b)
	}
	return t, at
}

// mustBeAsLong panics unless all lists of nodes have the same length. missing may be absent.
func mustBeAsLong(missing []int64, lengths ...int) {
	malformedIf(slices.Min(lengths) != slices.Max(lengths),
		"has %d elements in its lists of nodes: they must be as long as each other", lengths)
	malformedIf(missing != nil && len(missing) != lengths[0],
		"attribute \"nodes_missing_value_tracks_true\" has %d values for %d nodes", len(missing), lengths[0])
}

// treeNode is the name of a node in the attributes before version 5.
type treeNode struct{ tree, node int64 }

// index32 returns an index of the file, or −1 if that is no index.
func index32(i int64) int32 {
	if i < 0 || i > maxActivation {
		return -1
	}
	return int32(i)
}

// vote reads the votes of leaves, from attributes that begin with class or target.
func (r *nodeReader) vote(t *classical.Trees, at map[treeNode]int32, kind string) {
	ids, nodes, trees := r.integers(kind+"_ids"), r.integers(kind+"_nodeids"), r.integers(kind+"_treeids")
	weights := r.doubles(kind + "_weights")
	malformedIf(len(nodes) != len(ids) || len(trees) != len(ids) || len(weights) != len(ids),
		"has %d, %d, %d and %d of its lists of weights: they must be as long as each other", len(ids), len(nodes), len(trees), len(weights))
	for i, id := range ids {
		leaf, ok := at[treeNode{trees[i], nodes[i]}]
		if !ok {
			panic(malformedf("a weight is of node %d of tree %d, which is not there", nodes[i], trees[i]))
		}
		if leaf < 0 { // weights of inner nodes are not used
			t.Leaves[^leaf] = append(t.Leaves[^leaf], classical.Vote{Output: index32(id), Weight: weights[i]})
		}
	}
}

// mustBeSoundTrees panics if the trees contradict themselves or their input.
func mustBeSoundTrees(t *classical.Trees) {
	err := t.Check()
	malformedIf(err != nil, "%v", err)
}

// aggregate returns the attribute aggregate_function of versions 1 to 3.
func (r *nodeReader) aggregate() classical.Aggregate {
	name := r.text("aggregate_function", "SUM")
	how, ok := aggregates[name]
	malformedIf(!ok, "attribute \"aggregate_function\" is %q: it must be AVERAGE, SUM, MIN or MAX", name)
	return how
}

// treeRegressor is ONNX TreeEnsembleRegressor-3.
func (r *nodeReader) treeRegressor() {
	c, _ := r.table()
	t, at := r.forest()
	t.Outputs, t.Aggregate = r.count("n_targets"), r.aggregate()
	r.vote(t, at, "target")
	if base := r.doubles("base_values"); len(base) == t.Outputs {
		t.Base = base
	} else if len(base) > 0 {
		panic(malformedf("has %d base values for %d targets", len(base), t.Outputs))
	}
	r.regress(c, t, r.postTransform())
}

// regress makes the outputs of trees the node's output.
func (r *nodeReader) regress(c *view, t *classical.Trees, how string) {
	mustBeSoundTrees(t)
	if t.Outputs == 1 && how != "PROBIT" {
		how = "NONE" // ONNX Runtime applies no other to a single score
	}
	r.answer(c.opaque(t.Opaque()).transform(how), 0, t.Outputs)
}

// treeClassifier is ONNX TreeEnsembleClassifier-3.
func (r *nodeReader) treeClassifier() {
	c, _ := r.table()
	k := r.classes(0)
	t, at := r.forest()
	t.Outputs, t.Aggregate = len(k.codes), classical.Sum
	unsupportedIf(r.aggregate() != classical.Sum,
		"aggregate_function %s of a classifier", r.text("aggregate_function", ""))
	r.vote(t, at, "class")
	mustBeSoundTrees(t)
	base, how := r.doubles("base_values"), r.postTransform()
	switch {
	case t.Outputs == 1:
		panic(unsupportedf("a classifier of one class"))
	case t.Outputs == 2:
		r.twoClasses(c, t, k, base, how)
		return
	case len(base) > 0:
		t.Base = base
		mustBeSoundTrees(t)
	}
	c = c.opaque(t.Opaque())
	if negative(t) && r.usage.readers[r.outputs[0]] > 0 {
		for i := range k.codes {
			unsupportedIf(len(base) == 0 && voted(t, int32(i)) != everyLeaf,
				"the label of classes that not every row has a score of")
		}
	}
	r.label(c, k, 0)
	r.scores(c.transform(how), k)
}

// Which leaves vote for an output.
const (
	noLeaf = iota
	someLeaves
	everyLeaf // of some tree
)

// postTransforms, and modes of nodes, in the order of version 5.
var postTransforms = []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

// treeEnsemble is ONNX TreeEnsemble-5.
func (r *nodeReader) treeEnsemble() {
	c, _ := r.table()
	t := &classical.Trees{Operator: r.node.op, Outputs: r.count("n_targets")}
	aggregate, post := r.int("aggregate_function", 1), r.int("post_transform", 0)
	malformedIf(aggregate < 0 || aggregate > int64(classical.Max) || post < 0 || post >= int64(len(postTransforms)),
		"aggregate_function is %d and post_transform %d: they must be 0 to 3 and 0 to 4", aggregate, post)
	t.Aggregate = classical.Aggregate(aggregate)
	splits, modes := r.tensorFloats("nodes_splits"), r.tensorInts("nodes_modes")
	features, missing := r.integers("nodes_featureids"), r.integers("nodes_missing_value_tracks_true")
	yes, no := r.integers("nodes_truenodeids"), r.integers("nodes_falsenodeids")
	yesLeaf, noLeaf := r.integers("nodes_trueleafs"), r.integers("nodes_falseleafs")
	n := len(features)
	mustBeAsLong(missing, n, len(splits), len(modes), len(yes), len(no), len(yesLeaf), len(noLeaf))
	targets, weights := r.integers("leaf_targetids"), r.tensorFloats("leaf_weights")
	malformedIf(len(targets) != len(weights), "has %d targets and %d weights of leaves", len(targets), len(weights))
	for i, w := range weights {
		t.Leaves = append(t.Leaves, []classical.Vote{{Output: index32(targets[i]), Weight: w}})
	}
	child := func(id, leaf int64) int32 {
		i := index32(id)
		if i < 0 {
			panic(malformedf("a node leads to node %d", id))
		}
		if leaf != 0 {
			return ^i
		}
		return i
	}
	members := r.members()
	for i := range n {
		if modes[i] < 0 || modes[i] > int64(classical.Member) {
			panic(malformedf("node %d has the mode %d", i, modes[i]))
		}
		b := classical.Branch{Value: splits[i], Input: index32(features[i]), Mode: classical.Mode(modes[i]), MissingTrue: missing != nil && missing[i] == 1,
			True: child(yes[i], yesLeaf[i]), False: child(no[i], noLeaf[i])}
		if b.Mode == classical.Member {
			b.Members = int32(len(t.Members))
			if len(members) == 0 {
				panic(malformedf("node %d has no membership values", i))
			}
			t.Members, members = append(t.Members, members[0]), members[1:]
		}
		t.Branches = append(t.Branches, b)
	}
	for _, root := range r.integers("tree_roots") {
		t.Roots = append(t.Roots, child(root, 0))
	}
	r.regress(c, t, postTransforms[post])
}

// members returns the lists of members, sorted: NaN ends each in the file.
func (r *nodeReader) members() (lists [][]float64) {
	var list []float64
	for _, v := range r.tensorFloats("membership_values") {
		if v == v {
			list = append(list, v)
			continue
		}
		slices.Sort(list)
		lists, list = append(lists, list), nil
	}
	return lists
}

// negative reports whether a weight of the trees is negative.
func negative(t *classical.Trees) bool {
	return slices.ContainsFunc(t.Leaves, func(l []classical.Vote) bool {
		return slices.ContainsFunc(l, func(v classical.Vote) bool { return v.Weight < 0 })
	})
}

// twoClasses makes the outputs of a classifier of two classes, whose leaves often vote for
// one of them only. What the scores of the other are then, the standard leaves open. These
// are ONNX Runtime's answers (1.30), and so is the label.
func (r *nodeReader) twoClasses(c *view, t *classical.Trees, k classes, base []float64, how string) {
	threshold := .5
	if negative(t) {
		threshold = 0
	}
	first, second := voted(t, 0), voted(t, 1)
	one := func() *view { // the only score
		if len(base) == 1 && second == noLeaf {
			t.Base = base
		}
		for _, l := range t.Leaves {
			for i := range l {
				l[i].Output = 0
			}
		}
		t.Outputs = 1
		mustBeSoundTrees(t)
		return c.opaque(t.Opaque())
	}
	switch {
	case len(base) > 2:
		panic(malformedf("has %d base values for 2 classes", len(base)))
	case second == someLeaves || second == noLeaf && first == noLeaf:
		panic(unsupportedf("leaves that vote for the second class beside leaves that do not"))
	case second == noLeaf && len(base) == 2:
		s := one()
		r.label(s.affine(1, []float64{1}, base[:1]), k, threshold)
		r.scores(s.affine(2, []float64{1, 0}, []float64{base[0], 0}).transform(how), k)
	case second == noLeaf:
		s := one()
		r.label(s, k, threshold)
		if threshold == 0 && how != "LOGISTIC" && how != "PROBIT" {
			r.scores(s.second(0), k)
			return
		}
		r.scores(s.both(how), k)
	case first == noLeaf && len(base) == 2:
		panic(unsupportedf("base values of two classes where leaves vote for the second only"))
	case first == noLeaf:
		s := one()
		r.label(s, k, threshold)
		r.scores(s.affine(2, []float64{0, 1}, nil).transform(how), k)
	default:
		r.twoScores(c.opaque(t.Opaque()), k, base, how)
	}
}

// twoScores makes the outputs of two classes that leaves vote for.
func (r *nodeReader) twoScores(c *view, k classes, base []float64, how string) {
	switch len(base) {
	case 1:
		c = c.then(&nn.Binary{Operator: "Add", Constant: r.fixedParam("base_values", []float64{base[0], 0}, 2)})
	case 2:
		c = c.affine(2, []float64{-1, 0, 1, 0}, []float64{-base[1], base[1]})
	}
	if r.usage.readers[r.outputs[0]] > 0 {
		label := k
		if k.element == typeInt64 { // ONNX Runtime answers 0 and 1, whatever the labels
			label.codes = []float64{0, 1}
		}
		r.label(c.then(&nn.Gather{Axis: len(c.shape) - 1, Indices: []int{1}, Dims: []int{1}}), label, 0)
	}
	r.scores(c.transform(how), k)
}

// voted returns which leaves vote for an output.
func voted(t *classical.Trees, output int32) int {
	votes := func(i int32) bool {
		return slices.ContainsFunc(t.Leaves[^i], func(v classical.Vote) bool { return v.Output == output })
	}
	some := false
	for _, l := range t.Leaves {
		some = some || slices.ContainsFunc(l, func(v classical.Vote) bool { return v.Output == output })
	}
	if !some {
		return noLeaf
	}
	seen := make([]bool, len(t.Branches))
	for _, root := range t.Roots {
		every := true
		for todo := []int32{root}; len(todo) > 0 && every; {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			switch {
			case i < 0:
				every = votes(i)
			case !seen[i]:
				seen[i] = true
				todo = append(todo, t.Branches[i].True, t.Branches[i].False)
			}
		}
		if every {
			return everyLeaf
		}
	}
	return someLeaves
}
