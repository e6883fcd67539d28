package onnx

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/classical"
)

// Operators of classical machine learning: the domain ai.onnx.ml, versions 1 to 5
// (ONNX, Operators-ml.md). What has a Jacobian is read as ordinary operators: linear models,
// kernels of support vectors, scaling. Trees and tables are nn.Opaque. Where the standard
// leaves an answer open, it is ONNX Runtime's, whose tests hold these readers to it.

// classicalDomain is the name of the domain.
const classicalDomain = "ai.onnx.ml"

// maxClassical is the latest version of the domain that is read.
const maxClassical = 5

// The attributes of ensembles of trees before version 5.
const (
	treeAttributes = "aggregate_function base_values base_values_as_tensor nodes_falsenodeids nodes_featureids nodes_hitrates " +
		"nodes_hitrates_as_tensor nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids " +
		"nodes_values nodes_values_as_tensor post_transform "
	classAttributes = "classlabels_int64s classlabels_ints classlabels_strings "
	mapAttributes   = "classes_strings default_float default_int64 default_string default_tensor keys_floats keys_int64s keys_strings keys_tensor " +
		"values_floats values_int64s values_strings values_tensor"
	kernelAttributes = "kernel_params kernel_type post_transform coefficients rho support_vectors "
)

func classicalOperators() map[string]operator {
	return map[string]operator{
		"LinearClassifier":      {1, classAttributes + "coefficients intercepts multi_class post_transform", converts, (*nodeReader).linearClassifier},
		"LinearRegressor":       {1, "coefficients intercepts post_transform targets", converts, (*nodeReader).linearRegressor},
		"ArrayFeatureExtractor": {2, "", exact, (*nodeReader).arrayFeatureExtractor},
		"Binarizer":             {1, "threshold", converts, (*nodeReader).binarizer},
		"CategoryMapper":        {1, "cats_int64s cats_strings default_int64 default_string", converts, (*nodeReader).categoryMapper},
		"FeatureVectorizer":     {anyNumber, "inputdimensions", converts, (*nodeReader).featureVectorizer},
		"Imputer":               {1, "imputed_value_floats imputed_value_int64s replaced_value_float replaced_value_int64", converts, (*nodeReader).imputer},
		"LabelEncoder":          {1, mapAttributes, converts, (*nodeReader).labelEncoder},
		"OneHotEncoder":         {1, "cats_int64s cats_strings zeros", converts, (*nodeReader).oneHotEncoder},
		"SVMClassifier":         {1, kernelAttributes + classAttributes + "prob_a prob_b vectors_per_class", converts, (*nodeReader).svmClassifier},
		"SVMRegressor":          {1, kernelAttributes + "n_supports one_class", converts, (*nodeReader).svmRegressor},
		"Normalizer":            {1, "norm", converts | ordered, (*nodeReader).normalizer},
		"Scaler":                {1, "offset scale", converts, (*nodeReader).scaler},
		"TreeEnsembleClassifier": {1, treeAttributes + classAttributes + "class_ids class_nodeids class_treeids class_weights class_weights_as_tensor", converts,
			(*nodeReader).treeClassifier},
		"TreeEnsembleRegressor": {1, treeAttributes + "n_targets target_ids target_nodeids target_treeids target_weights target_weights_as_tensor", converts,
			(*nodeReader).treeRegressor},
		"TreeEnsemble": {1, "aggregate_function leaf_targetids leaf_weights membership_values n_targets nodes_falseleafs nodes_falsenodeids nodes_featureids " +
			"nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_splits nodes_trueleafs nodes_truenodeids post_transform tree_roots", converts,
			(*nodeReader).treeEnsemble},
		"ZipMap": {1, classAttributes, exact, (*nodeReader).zipMap},
	}
}

// operatorOf returns the operator of a node. known is false of an unknown domain.
func (d *decoder) operatorOf(n *node) (op operator, ok, known bool) {
	switch {
	case isStandard(n.domain):
		op, ok = operators()[n.op]
		return op, ok, true
	case n.domain == classicalDomain:
		op, ok = operators()[classicalDomain+"."+n.op]
		return op, ok, true
	}
	return op, false, false
}

// table starts with input 0, rows of numbers, which it returns the length of, too.
func (r *nodeReader) table() (c *view, width int) {
	x := r.operand(0)
	r.mustBeNumeric(x)
	unsupportedIf(len(x.shape) != 2, "input %q has shape %v: it must be rows", x.name(), x.shape)
	return x.rows(), x.shape[1]
}

// mustBeNumeric panics if an input is text.
func (r *nodeReader) mustBeNumeric(x *view) {
	malformedIf(r.elements[x.name()] == typeString, "input %q is text: it must be numbers", x.name())
}

// answer makes a view the node's output out: a row of n for each row of input 0.
func (r *nodeReader) answer(c *view, out, n int) {
	shape := slices.Clone(r.operand(0).shape)
	shape[len(shape)-1] = n
	c.end(out, shape)
}

// opaque applies a function without a Jacobian to each row.
func (c *view) opaque(op *nn.Opaque) *view {
	c.r.mustFit([]int{nn.Size(c.shape)})
	return c.then(op)
}

// affine multiplies rows by a matrix [out, in], and adds a bias, nil for none.
func (c *view) affine(out int, weight, bias []float64) *view {
	in := len(weight) / max(out, 1)
	malformedIf(in*out != len(weight) || in == 0 || in != c.shape[len(c.shape)-1] || bias != nil && len(bias) != out,
		"%d coefficients and %d intercepts do not fit rows of %d and %d outputs", len(weight), len(bias), c.shape[len(c.shape)-1], out)
	d := &nn.Dense{In: in, Out: out, Weight: c.r.fixedParam("coefficients", weight, out, in)}
	if bias != nil {
		d.Bias = c.r.fixedParam("intercepts", bias, out)
	}
	return c.then(d)
}

// fixedParam makes a parameter of numbers, all finite.
func (r *nodeReader) fixedParam(name string, x []float64, shape ...int) *nn.Param {
	r.claim(len(x))
	p := &nn.Param{Name: r.node.name + "." + name, Shape: shape, Data: make([]float32, len(x))}
	for i, v := range x {
		p.Data[i] = float32(v)
		if p.Data[i]-p.Data[i] != 0 {
			panic(malformedf("attribute %q holds %v", name, v))
		}
	}
	return p
}

// perInput combines each entry of a row with its number, or with the same.
func (c *view) perInput(operator, name string, x []float64) *view {
	n := c.shape[len(c.shape)-1]
	malformedIf(len(x) != 1 && len(x) != n, "attribute %q has %d values: it must have 1 or %d", name, len(x), n)
	return c.then(&nn.Binary{Operator: operator, Constant: c.r.fixedParam(name, x, len(x))})
}

// scaler is ONNX Scaler-1.
func (r *nodeReader) scaler() {
	c, width := r.table()
	if offset := r.numbers("offset"); offset != nil {
		c = c.perInput("Sub", "offset", offset)
	}
	if scale := r.numbers("scale"); scale != nil {
		c = c.perInput("Mul", "scale", scale)
	}
	r.answer(c, 0, width)
}

// normalizer is ONNX Normalizer-1. A row of norm 0 stays as it is.
func (r *nodeReader) normalizer() {
	c, width := r.table()
	function, ok := map[string]string{"MAX": "Max", "L1": "L1", "L2": "L2"}[r.text("norm", "MAX")]
	malformedIf(!ok, "attribute \"norm\" is %q: it must be MAX, L1 or L2", r.text("norm", ""))
	norm := c.reduced(function, []int{len(c.shape) - 1}, true)
	norm = norm.then(&nn.Where{Else: scalar(1)}, norm)
	r.answer(c.with("Div", norm), 0, width)
}

// transform applies post_transform to scores.
func (c *view) transform(how string) *view {
	switch how {
	case "NONE":
		return c
	case "LOGISTIC":
		return c.then(&nn.Unary{Function: "Sigmoid"})
	case "SOFTMAX":
		return c.then(&nn.Softmax{})
	case "SOFTMAX_ZERO":
		return c.opaque(classical.SoftmaxZero())
	case "PROBIT":
		return c.opaque(classical.Probit())
	}
	panic(malformedf("attribute \"post_transform\" is %q: it must be NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO or PROBIT", how))
}

// postTransform returns the attribute of that name.
func (n *node) postTransform() string { return n.text("post_transform", "NONE") }

// classes are the labels of a classifier.
type classes struct {
	codes   []float64 // what stands for each in the graph
	names   []string
	element int64 // typeInt64 or typeString
}

// classes returns the labels, n of them unless n is 0.
func (r *nodeReader) classes(n int) classes {
	k := classes{element: typeInt64}
	text := r.strings("classlabels_strings")
	ints := r.integers("classlabels_int64s")
	if ints == nil {
		ints = r.integers("classlabels_ints")
	}
	switch {
	case len(text) > 0:
		k.element, k.names = typeString, text
		k.codes = r.codes(text)
	case len(ints) > 0:
		k.codes = exactInts("classlabels", ints)
		for _, v := range ints {
			k.names = append(k.names, fmt.Sprint(v))
		}
	default:
		panic(malformedf("has no classlabels"))
	}
	malformedIf(n != 0 && len(k.codes) != n, "has %d classlabels for %d classes", len(k.codes), n)
	return k
}

// label makes the node's first output the label that the scores choose, if it is used.
func (r *nodeReader) label(scores *view, k classes, threshold float64) {
	r.labelBy(classical.Label(r.node.op, k.codes, threshold), scores, k)
}

// labelBy is label by a function of the scores.
func (r *nodeReader) labelBy(choose *nn.Opaque, scores *view, k classes) {
	if r.usage.readers[r.outputs[0]] == 0 {
		return
	}
	r.elements[r.outputs[0]] = k.element
	scores.opaque(choose).end(0, r.operand(0).shape[:1])
}

// scores makes the node's second output the scores of its classes.
func (r *nodeReader) scores(c *view, k classes) {
	if len(r.outputs) < 2 || r.outputs[1] == "" {
		return
	}
	r.named[r.outputs[1]] = k.names
	r.answer(c, 1, c.shape[len(c.shape)-1])
}

// handOnClasses gives the output of an operator that keeps the order of scores the classes
// of its input.
func (d *decoder) handOnClasses(n *node, op operator) {
	if len(n.inputs) == 0 || op.traits&ordered == 0 {
		return
	}
	if names := d.named[n.inputs[0]]; names != nil && slices.Equal(d.shapes[n.inputs[0]], d.shapes[n.outputs[0]]) {
		d.named[n.outputs[0]] = names
	}
}

// zipMap is ONNX ZipMap-1: a list of maps from classes to scores, which is the scores here.
func (r *nodeReader) zipMap() {
	x := r.operand(0)
	r.mustBeNumeric(x)
	k := r.classes(x.shape[len(x.shape)-1])
	r.named[r.outputs[0]] = k.names
	x.end(0, x.shape)
}

// exactInts returns integers as numbers that float32 holds exactly.
func exactInts(name string, x []int64) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		if f[i] = float64(v); int64(f[i]) != v || float64(float32(f[i])) != f[i] {
			panic(unsupportedf("attribute %q holds %d: integers are computed in float32, which has no such number", name, v))
		}
	}
	return f
}

// count returns a positive integer attribute, 1 if there is none.
func (n *node) count(name string) int {
	v := n.int(name, 1)
	malformedIf(v < 1 || v > maxActivation, "attribute %q is %d", name, v)
	return int(v)
}

// integers returns an attribute of integers, nil if there is none.
func (n *node) integers(name string) []int64 {
	a, _ := n.typed(name, kindInts)
	return a.ints
}

// strings returns an attribute of strings, nil if there is none.
func (n *node) strings(name string) []string {
	a, _ := n.typed(name, kindStrings)
	return textsOf(a.strings)
}

// textsOf copies texts of the file.
func textsOf(all [][]byte) (list []string) {
	for _, s := range all {
		list = append(list, string(s))
	}
	return list
}

// doubles returns an attribute of floats, which may be infinite or NaN, from the attribute
// name or the tensor name_as_tensor; nil if there is neither.
func (n *node) doubles(name string) []float64 {
	if x := n.anyFloats(name); x != nil {
		return x
	}
	return n.tensorFloats(name + "_as_tensor")
}

// tensorAttribute returns what decode makes of a tensor attribute, whose elements must be floats or else integers;
// nil if there is none.
func tensorAttribute[T any](n *node, name string, floats bool, decode func(t *tensor, n int) []T) []T {
	a, ok := n.typed(name, kindTensor)
	if !ok {
		return nil
	}
	t := &a.tensor
	kind, ok := kindOf(t.kind)
	switch {
	case t.external:
		panic(unsupportedf("attribute %q is in another file", name))
	case !ok || (kind == isFloat) != floats:
		panic(malformedf("attribute %q has elements of type %s", name, typeName(t.kind)))
	}
	_, size := t.shape()
	return decode(t, size)
}

// tensorFloats returns a tensor attribute of floats, in float64; nil if there is none.
func (n *node) tensorFloats(name string) []float64 {
	return tensorAttribute(n, name, true, decodeFloats[float64])
}

// tensorInts returns a tensor attribute of integers, nil if there is none.
func (n *node) tensorInts(name string) []int64 {
	return tensorAttribute(n, name, false, (*tensor).intValues)
}

// second makes two scores of one: −x + first and x.
func (c *view) second(first float64) *view {
	return c.affine(2, []float64{-1, 1}, []float64{first, 0})
}

// linearClassifier is ONNX LinearClassifier-1.
func (r *nodeReader) linearClassifier() {
	c, _ := r.table()
	bias := r.numbers("intercepts")
	malformedIf(len(bias) == 0, "attribute \"intercepts\" is missing")
	k := r.classes(0)
	n := len(bias)
	malformedIf(n != len(k.codes) && (n != 1 || len(k.codes) != 2), "has %d intercepts for %d classes", n, len(k.codes))
	c = c.affine(len(bias), r.numbers("coefficients"), bias)
	r.label(c, k, 0)
	how := r.postTransform()
	if len(bias) > 1 {
		r.scores(c.transform(how), k)
		return
	}
	r.scores(c.both(how), k)
}

// both makes the scores of two classes from that of the second.
func (c *view) both(how string) *view {
	switch how {
	case "LOGISTIC":
		return c.second(0).transform(how)
	case "PROBIT":
		panic(unsupportedf("post_transform PROBIT of a single score"))
	}
	return c.second(1)
}

// linearRegressor is ONNX LinearRegressor-1.
func (r *nodeReader) linearRegressor() {
	c, _ := r.table()
	targets := r.count("targets")
	c = c.affine(targets, r.numbers("coefficients"), r.numbers("intercepts"))
	how := r.postTransform()
	if targets == 1 && how != "PROBIT" {
		how = "NONE" // ONNX Runtime applies no other to a single score
	}
	r.answer(c.transform(how), 0, targets)
}

// Text is computed with as numbers: each text that a file holds has one, from 0 on.

// codes returns the numbers that stand for texts.
func (d *decoder) codes(texts []string) []float64 {
	list := make([]float64, len(texts))
	for i, s := range texts {
		n, ok := d.texts[s]
		if !ok {
			n = len(d.words)
			d.texts[s], d.words = n, append(d.words, s)
		}
		list[i] = float64(n)
	}
	return list
}
