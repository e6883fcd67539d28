package onnx

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

var updateZoo = flag.Bool("update", false, "write testdata/classical.json with the answers of ONNX Runtime")

// zooGolden has the answers of ONNX Runtime for the graphs of classicalZoo.
const zooGolden = "testdata/classical.json"

// zooRows is how many rows each graph is given.
const zooRows = 24

// zooModel is a graph in a shape that a converter writes.
type zooModel struct {
	name    string
	file    *modelFile
	columns []zooColumn
	outputs []string
	missing bool // a part of the numbers is NaN
}

type zooColumn struct {
	name  string
	kind  string // of JavaScript's tensors
	width int
	words []string
}

func numbersColumn(width int) []zooColumn { return []zooColumn{{"x", "float32", width, nil}} }

var labelAndScores = []string{"label", "scores"}

// trees starts a graph of a classifier of trees over x.
func treesFile(g grower, classes []byte, n int, label int64, more ...[]byte) *modelFile {
	g.kind = "class"
	element := int64(typeFloat)
	if g.double {
		element = typeDouble
	}
	return newTable().column("x", element, g.features).
		ml("TreeEnsembleClassifier", in("x"), labelAndScores, append([][]byte{g.attributes(), classes}, more...)...).
		result("label", label, 0).result("scores", typeFloat, n)
}

func regressor(g grower, more ...[]byte) *modelFile {
	g.kind = "target"
	return newTable().column("x", typeFloat, g.features).
		ml("TreeEnsembleRegressor", in("x"), in("y"), append([][]byte{g.attributes(), number("n_targets", int64(g.outputs))}, more...)...).
		result("y", typeFloat, g.outputs)
}

var (
	leq      = []string{"BRANCH_LEQ"}
	lt       = []string{"BRANCH_LT"}
	anyMode  = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}
	zeroOne  = intList("classlabels_int64s", 0, 1)
	colours  = textList("classlabels_strings", "red", "green", "blue")
	threeInt = intList("classlabels_int64s", 10, 20, 30)
)

func post(how string) []byte { return attributeText("post_transform", how) }

// classicalZoo are graphs in the shapes that sklearn-onnx and onnxmltools' converters of
// XGBoost and LightGBM write.
func classicalZoo() (zoo []zooModel) {
	add := func(name string, f *modelFile, columns []zooColumn, outputs ...string) *zooModel {
		zoo = append(zoo, zooModel{name: name, file: f, columns: columns, outputs: outputs})
		return &zoo[len(zoo)-1]
	}
	x := numbersColumn
	forest := func(seed uint64, classes int) grower {
		return grower{seed: seed, trees: 12, depth: 5, features: 4, modes: leq, votes: shares(classes, 12)}
	}
	boosted := func(seed uint64, outputs int, modes []string) grower {
		return grower{seed: seed, trees: 9, depth: 4, features: 5, modes: modes, missing: true, outputs: outputs, votes: scoreOf(outputs, false)}
	}

	// scikit-learn's trees.
	add("decision tree", treesFile(grower{seed: 1, trees: 1, depth: 6, features: 4, modes: leq, votes: shares(3, 1)}, colours, 3, typeString), x(4), labelAndScores...)
	add("random forest of three classes", treesFile(forest(2, 3), threeInt, 3, typeInt64), x(4), labelAndScores...)
	add("random forest of two classes", treesFile(forest(3, 2), zeroOne, 2, typeInt64), x(4), labelAndScores...)
	add("random forest of two texts", treesFile(forest(4, 2), textList("classlabels_strings", "no", "yes"), 2, typeString), x(4), labelAndScores...)
	f := forest(5, 3)
	f.double = true
	add("random forest in float64", treesFile(f, threeInt, 3, typeInt64), []zooColumn{{"x", "float64", 4, nil}}, "scores")
	add("gradient boosting of two classes", treesFile(grower{seed: 6, trees: 20, depth: 3, features: 4, modes: leq, votes: scoreOf(1, false)}, zeroOne, 2, typeInt64, post("LOGISTIC"), floatList("base_values", -.375)), x(4), labelAndScores...)
	add("gradient boosting of three classes", treesFile(grower{seed: 7, trees: 21, depth: 3, features: 4, modes: leq, votes: scoreOf(3, false)}, threeInt, 3, typeInt64, post("SOFTMAX"), floatList("base_values", .25, -.5, .125)), x(4), labelAndScores...)
	add("histogram boosting", treesFile(boosted(8, 1, leq), zeroOne, 2, typeInt64, post("LOGISTIC"), floatList("base_values", .0625)), x(5), labelAndScores...).missing = true
	add("regression tree", regressor(grower{seed: 9, trees: 1, depth: 6, features: 4, modes: leq, outputs: 1, votes: scoreOf(1, false)}), x(4), "y")
	add("random forest regressor of two targets", regressor(grower{seed: 10, trees: 8, depth: 4, features: 4, modes: leq, outputs: 2, votes: shares(2, 1)}, attributeText("aggregate_function", "AVERAGE")), x(4), "y")
	add("gradient boosting regressor", regressor(grower{seed: 11, trees: 15, depth: 3, features: 4, modes: leq, outputs: 1, votes: scoreOf(1, false)}, floatList("base_values", 3.5)), x(4), "y")
	for i, how := range []string{"MIN", "MAX"} {
		add("regressor by "+how, regressor(grower{seed: 12 + uint64(i), trees: 5, depth: 3, features: 3, modes: leq, outputs: 1, votes: scoreOf(1, false)}, attributeText("aggregate_function", how), floatList("base_values", .5)), x(3), "y")
	}

	// XGBoost's.
	add("XGBoost of two classes", treesFile(boosted(20, 1, lt), zeroOne, 2, typeInt64, post("LOGISTIC")), x(5), labelAndScores...).missing = true
	add("XGBoost of two classes with a base", treesFile(boosted(21, 1, lt), zeroOne, 2, typeInt64, post("LOGISTIC"), floatList("base_values", .75)), x(5), labelAndScores...).missing = true
	add("XGBoost of three classes", treesFile(boosted(22, 3, lt), intList("classlabels_int64s", 0, 1, 2), 3, typeInt64, post("SOFTMAX"), floatList("base_values", .5, .5, .5)), x(5), "scores").missing = true
	add("XGBoost with margins", treesFile(boosted(23, 1, lt), zeroOne, 2, typeInt64), x(5), labelAndScores...).missing = true
	add("XGBoost regressor", regressor(boosted(24, 1, lt), floatList("base_values", .5)), x(5), "y").missing = true
	add("XGBoost counts", newTable().column("x", typeFloat, 5).ml("TreeEnsembleRegressor", in("x"), in("raw"), func() []byte { g := boosted(25, 1, lt); g.kind = "target"; return g.attributes() }(), number("n_targets", 1), floatList("base_values", -.5)).
		op("Exp", in("raw"), in("y")).result("y", typeFloat, 1), x(5), "y").missing = true

	// LightGBM's.
	add("LightGBM of two classes", treesFile(boosted(30, 1, []string{"BRANCH_LEQ", "BRANCH_EQ"}), zeroOne, 2, typeInt64, post("LOGISTIC")), x(5), labelAndScores...).missing = true
	add("LightGBM of three classes", treesFile(boosted(31, 3, leq), intList("classlabels_int64s", 0, 1, 2), 3, typeInt64, post("SOFTMAX")), x(5), "scores").missing = true
	g := boosted(32, 1, leq)
	g.kind = "target"
	half := func(seed uint64) []byte { h := g; h.seed = seed; return h.attributes() }
	add("LightGBM in parts", newTable().column("x", typeFloat, 5).ml("TreeEnsembleRegressor", in("x"), in("a"), half(33), number("n_targets", 1)).
		ml("TreeEnsembleRegressor", in("x"), in("b"), half(34), number("n_targets", 1)).op("Sum", in("a", "b"), in("raw")).op("Sigmoid", in("raw"), in("p")).
		floats("one", dim1(1), 1).op("Sub", in("one", "p"), in("q")).op("Concat", in("q", "p"), in("scores"), number("axis", 1)).result("scores", typeFloat, 2), x(5), "scores").missing = true
	positive := boosted(35, 1, leq)
	positive.votes = scoreOf(1, true)
	add("boosting with positive weights", treesFile(positive, zeroOne, 2, typeInt64), x(5), labelAndScores...).missing = true
	add("boosting with positive weights, logistic", treesFile(positive, zeroOne, 2, typeInt64, post("LOGISTIC")), x(5), labelAndScores...).missing = true
	second := boosted(36, 2, leq)
	second.votes = func(r *rand.Rand) [][2]float64 { return [][2]float64{{1, r.NormFloat64()}} }
	add("votes for the second class", treesFile(second, zeroOne, 2, typeInt64, post("LOGISTIC")), x(5), labelAndScores...)
	add("every mode", regressor(grower{seed: 37, trees: 9, depth: 5, features: 3, modes: anyMode, missing: true, outputs: 1, votes: scoreOf(1, false)}), x(3), "y").missing = true
	for i, how := range []string{"SOFTMAX_ZERO", "PROBIT"} {
		two := grower{seed: 38 + uint64(i), trees: 4, depth: 3, features: 3, modes: leq, votes: shares(3, 5)}
		add("post_transform "+how, treesFile(two, threeInt, 3, typeInt64, post(how)), x(3), "scores")
	}
	add("two classes with two bases", treesFile(forest(41, 2), zeroOne, 2, typeInt64, floatList("base_values", .25, .125)), x(4), labelAndScores...)
	add("two classes with one base", treesFile(forest(42, 2), zeroOne, 2, typeInt64, floatList("base_values", .25)), x(4), labelAndScores...)

	// TreeEnsemble of version 5.
	v5 := newTable().column("x", typeFloat, 3).ml("TreeEnsemble", in("x"), in("y"), number("n_targets", 2), number("aggregate_function", 1), number("post_transform", 0),
		intList("tree_roots", 0, 3), intList("nodes_featureids", 0, 1, 2, 1), numbersOf("nodes_modes", typeUint8, 0, 6, 4, 1), numbersOf("nodes_splits", typeFloat, .5, math.NaN(), 1, -.25),
		intList("nodes_truenodeids", 1, 0, 2, 4), intList("nodes_trueleafs", 0, 1, 1, 1), intList("nodes_falsenodeids", 2, 1, 3, 5), intList("nodes_falseleafs", 0, 1, 1, 1),
		numbersOf("membership_values", typeFloat, 1, 2, 3, math.NaN()), intList("nodes_missing_value_tracks_true", 1, 0, 0, 1),
		intList("leaf_targetids", 0, 1, 0, 1, 0, 1), numbersOf("leaf_weights", typeFloat, 5.25, 12.5, -3, 4, 1.5, -2.25)).result("y", typeFloat, 2)
	v5.classical = 5
	add("TreeEnsemble", v5, x(3), "y").missing = true

	// Linear models.
	linear := func(how string, classes, coefficients, bias []byte, n int, label int64) *modelFile {
		return newTable().column("x", typeFloat, 3).ml("LinearClassifier", in("x"), in("label", "raw"), inOldName(classes), coefficients, bias, post(how), number("multi_class", 1)).
			ml("Normalizer", in("raw"), in("scores"), attributeText("norm", "L1")).ml("ZipMap", in("scores"), in("maps"), classes).
			result("label", label, 0).result("scores", typeFloat, n).maps("maps", label)
	}
	w3 := floatList("coefficients", .5, -.25, 1, -1, .75, .125, .25, .25, -.75)
	w2 := floatList("coefficients", -.5, .25, -1, .5, -.25, 1)
	add("logistic regression of three classes", linear("SOFTMAX", colours, w3, floatList("intercepts", .1, -.2, .05), 3, typeString), x(3), labelAndScores...)
	add("logistic regression, one against the rest", linear("LOGISTIC", threeInt, w3, floatList("intercepts", .1, -.2, .05), 3, typeInt64), x(3), labelAndScores...)
	add("logistic regression of two classes", linear("LOGISTIC", zeroOne, w2, floatList("intercepts", .3, -.3), 2, typeInt64), x(3), labelAndScores...)
	add("linear classifier of one score", linear("LOGISTIC", zeroOne, floatList("coefficients", .5, -.25, 1), floatList("intercepts", .1), 2, typeInt64), x(3), labelAndScores...)
	add("linear support vectors", linear("NONE", zeroOne, floatList("coefficients", .5, -.25, 1), floatList("intercepts", .1), 2, typeInt64), x(3), labelAndScores...)
	add("ridge", newTable().column("x", typeFloat, 3).ml("LinearRegressor", in("x"), in("y"), floatList("coefficients", .5, -.25, 1), floatList("intercepts", .1)).result("y", typeFloat, 1), x(3), "y")
	add("linear regressor of two targets", newTable().column("x", typeFloat, 3).ml("LinearRegressor", in("x"), in("y"), w2, floatList("intercepts", .1, 2), number("targets", 2), post("LOGISTIC")).result("y", typeFloat, 2), x(3), "y")

	// Support vectors.
	vectors := floatList("support_vectors", ramped(18, -1, .13)...)
	svc := func(classes []byte, n int, label int64, more ...[]byte) *modelFile {
		return newTable().column("x", typeFloat, 3).ml("SVMClassifier", in("x"), labelAndScores, append(more, inOldName(classes), vectors)...).result("label", label, 0).result("scores", typeFloat, n)
	}
	rbf := slices.Concat(attributeText("kernel_type", "RBF"), floatList("kernel_params", .3, 0, 3))
	threes := slices.Concat(floatList("coefficients", 1, -.5, .25, -1, .5, -.75, .125, .5, -1, 1, -.25, .75), intList("vectors_per_class", 2, 3, 1), floatList("rho", .1, -.2, .05))
	probabilities := slices.Concat(floatList("prob_a", -1.5, -2, -1), floatList("prob_b", .1, -.1, .2))
	twos := slices.Concat(floatList("coefficients", 1, -.5, .25, -1, .5, -.75), intList("vectors_per_class", 4, 2), floatList("rho", .1))
	add("support vectors of three classes", svc(colours, 3, typeString, rbf, threes, probabilities), x(3), labelAndScores...)
	add("support vectors of three classes, scores of pairs", svc(threeInt, 3, typeInt64, rbf, threes), x(3), labelAndScores...)
	add("support vectors of two classes", svc(zeroOne, 2, typeInt64, rbf, twos, floatList("prob_a", -1.25), floatList("prob_b", .1)), x(3), labelAndScores...)
	add("support vectors of two classes, one score", svc(zeroOne, 2, typeInt64, rbf, twos), x(3), labelAndScores...)
	add("support vectors, polynomial", svc(zeroOne, 2, typeInt64, twos, attributeText("kernel_type", "POLY"), floatList("kernel_params", .5, 1, 3)), x(3), labelAndScores...)
	for _, kernel := range []string{"LINEAR", "POLY", "RBF", "SIGMOID"} {
		add("support vector regression, "+kernel, newTable().column("x", typeFloat, 3).ml("SVMRegressor", in("x"), in("y"), vectors, floatList("coefficients", 1, -.5, .25, -1, .5, -.75), floatList("rho", .4), number("n_supports", 6),
			attributeText("kernel_type", kernel), floatList("kernel_params", .5, .25, 3)).result("y", typeFloat, 1), x(3), "y")
	}
	add("one class", newTable().column("x", typeFloat, 3).ml("SVMRegressor", in("x"), in("y"), vectors, floatList("coefficients", 1, .5, .25, 1, .5, .75), floatList("rho", -2), number("n_supports", 6), number("one_class", 1), rbf).result("y", typeFloat, 1), x(3), "y")

	// Preprocessing.
	add("scaler", newTable().column("x", typeFloat, 3).ml("Scaler", in("x"), in("y"), floatList("offset", .5, -1, 2), floatList("scale", 2, .5, .25)).result("y", typeFloat, 3), x(3), "y")
	for _, norm := range []string{"MAX", "L1", "L2"} {
		add("normalizer "+norm, newTable().column("x", typeFloat, 3).ml("Normalizer", in("x"), in("y"), attributeText("norm", norm)).result("y", typeFloat, 3), x(3), "y")
	}
	add("binarizer", newTable().column("x", typeFloat, 3).ml("Binarizer", in("x"), in("y"), float("threshold", .25)).result("y", typeFloat, 3), x(3), "y")
	add("imputer of NaN", newTable().column("x", typeFloat, 3).ml("Imputer", in("x"), in("y"), floatList("imputed_value_floats", 1, 2, 3), float("replaced_value_float", math.NaN())).result("y", typeFloat, 3), x(3), "y").missing = true
	add("imputer of a number", newTable().column("x", typeFloat, 3).ml("Imputer", in("x"), in("y"), floatList("imputed_value_floats", 7), float("replaced_value_float", .5)).result("y", typeFloat, 3), x(3), "y")
	words := []string{"a", "b", "c", "unknown"}
	text := func(width int) []zooColumn { return []zooColumn{{"x", "string", width, words}} }
	add("one-hot text", newTable().column("x", typeString, 2).ml("OneHotEncoder", in("x"), in("h"), textList("cats_strings", "a", "b", "c")).tensor(intTensor("s", 0, 6)).op("Reshape", in("h", "s"), in("y")).result("y", typeFloat, 6), text(2), "y")
	add("one-hot integers", newTable().column("x", typeInt64, 1).ml("OneHotEncoder", in("x"), in("h"), intList("cats_int64s", 0, 2, 4)).op("Flatten", in("h"), in("y")).result("y", typeFloat, 3), []zooColumn{{"x", "int64", 1, nil}}, "y")
	add("one-hot floats", newTable().column("x", typeFloat, 1).ml("OneHotEncoder", in("x"), in("h"), intList("cats_int64s", 0, 1, -1)).op("Flatten", in("h"), in("y")).result("y", typeFloat, 3), x(1), "y")
	add("text to numbers", newTable().column("x", typeString, 2).ml("LabelEncoder", in("x"), in("y"), textList("keys_strings", "a", "b", "c"), floatList("values_floats", 1.5, -2, 3), float("default_float", 9)).result("y", typeFloat, 2), text(2), "y")
	add("numbers to text", newTable().column("x", typeInt64, 1).ml("LabelEncoder", in("x"), in("y"), intList("keys_int64s", 0, 1, 2, 2), textList("values_strings", "a", "b", "c", "d")).result("y", typeString, 1), []zooColumn{{"x", "int64", 1, nil}}, "y")
	add("floats to integers", newTable().column("x", typeFloat, 2).ml("LabelEncoder", in("x"), in("y"), floatList("keys_floats", .5, 1, math.NaN(), -.25), intList("values_int64s", 4, 5, 6, 7), number("default_int64", -3)).result("y", typeInt64, 2), x(2), "y").missing = true
	v4 := newTable().column("x", typeString, 1).ml("LabelEncoder", in("x"), in("y"), textTensor("keys_tensor", "a", "b"), numbersOf("values_tensor", typeDouble, .5, .25), numbersOf("default_tensor", typeDouble, -1)).result("y", typeDouble, 1)
	v4.classical = 4
	add("tensors of keys", v4, text(1), "y")
	nan := newTable().column("x", typeFloat, 2).ml("LabelEncoder", in("x"), in("y"), floatList("keys_floats", .5, 1, math.NaN(), -.25), intList("values_int64s", 4, 5, 6, 7), number("default_int64", -3)).result("y", typeInt64, 2)
	nan.classical = 4
	add("NaN as a key", nan, x(2), "y").missing = true
	v1 := newTable().column("x", typeString, 1).ml("LabelEncoder", in("x"), in("y"), textList("classes_strings", "b", "a")).result("y", typeInt64, 1)
	v1.classical = 1
	add("label encoder of version 1", v1, text(1), "y")
	add("category mapper", newTable().column("x", typeString, 2).ml("CategoryMapper", in("x"), in("y"), textList("cats_strings", "a", "b", "c"), intList("cats_int64s", 7, 8, 9), number("default_int64", 5)).result("y", typeInt64, 2), text(2), "y")
	add("chosen columns", newTable().column("x", typeFloat, 4).tensor(intTensor("i", 3, 0, 3)).ml("ArrayFeatureExtractor", in("x", "i"), in("y")).result("y", typeFloat, 3), x(4), "y")
	add("joined columns", newTable().column("a", typeFloat, 2).column("b", typeFloat, 1).ml("FeatureVectorizer", in("b", "a"), in("y"), intList("inputdimensions", 1, 2)).result("y", typeFloat, 3), []zooColumn{{"a", "float32", 2, nil}, {"b", "float32", 1, nil}}, "y")

	// Pipelines over columns of several types.
	pipeline := forest(50, 2)
	pipeline.features = 6
	pipeline.kind = "class"
	add("pipeline", newTable().column("age", typeFloat, 1).column("hours", typeInt64, 1).column("sex", typeString, 1).
		op("Cast", in("hours"), in("h"), number("to", typeFloat)).op("Concat", in("age", "h"), in("n"), number("axis", 1)).
		ml("Imputer", in("n"), in("full"), floatList("imputed_value_floats", .5, 2), float("replaced_value_float", math.NaN())).
		ml("Scaler", in("full"), in("scaled"), floatList("offset", .5, 2), floatList("scale", .5, .25)).
		ml("OneHotEncoder", in("sex"), in("hot"), textList("cats_strings", "a", "b", "c", "d")).tensor(intTensor("s", -1, 4)).op("Reshape", in("hot", "s"), in("flat")).
		op("Concat", in("scaled", "flat"), in("x"), number("axis", 1)).
		ml("TreeEnsembleClassifier", in("x"), in("label", "p"), pipeline.attributes(), textList("classlabels_strings", "low", "high")).
		op("Cast", in("p"), in("scores"), number("to", typeFloat)).ml("ZipMap", in("scores"), in("maps"), textList("classlabels_strings", "low", "high")).
		result("label", typeString, 0).result("scores", typeFloat, 2).maps("maps", typeString),
		[]zooColumn{{"age", "float32", 1, nil}, {"hours", "int64", 1, nil}, {"sex", "string", 1, words}}, labelAndScores...).missing = true
	add("ordinal encoder", newTable().column("x", typeString, 2).tensor(intTensor("i0", 0)).tensor(intTensor("i1", 1)).tensor(intTensor("s", -1, 1)).
		ml("ArrayFeatureExtractor", in("x", "i0"), in("a")).ml("ArrayFeatureExtractor", in("x", "i1"), in("b")).
		ml("LabelEncoder", in("a"), in("c"), textList("keys_strings", "a", "b"), intList("values_int64s", 0, 1)).ml("LabelEncoder", in("b"), in("d"), textList("keys_strings", "c", "a"), intList("values_int64s", 0, 1)).
		op("Reshape", in("c", "s"), in("e")).op("Reshape", in("d", "s"), in("f")).op("Concat", in("e", "f"), in("g"), number("axis", 1)).op("Cast", in("g"), in("y"), number("to", typeFloat)).result("y", typeFloat, 2), text(2), "y")
	return zoo
}

// inOldName gives labels the name that linear classifiers have for them.
func inOldName(classes []byte) []byte {
	a := []byte("classlabels_int64s")
	if !bytes.Contains(classes, a) {
		return classes
	}
	w := &wire{}
	var ints []int64
	w.each(classes, func(f field) {
		w.each(f.b, func(f field) {
			if f.number == attributeInts {
				ints = w.ints(ints, f)
			}
		})
	})
	return intList("classlabels_ints", ints...)
}

func ramped(n int, first, step float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = first + step*float64(i*7%n)
	}
	return x
}

// feed is a tensor as the script below reads and writes it: NaN is a text.
type feed struct {
	Type string `json:"type"`
	Dims []int  `json:"dims"`
	Data []any  `json:"data"`
}

// feeds are rows for a graph, by column.
func (m *zooModel) feeds() map[string]feed {
	r := rand.New(rand.NewPCG(uint64(len(m.name)), 17))
	all := map[string]feed{}
	for _, c := range m.columns {
		f := feed{Type: c.kind, Dims: []int{zooRows, c.width}}
		for range zooRows * c.width {
			switch {
			case c.kind == "string":
				f.Data = append(f.Data, c.words[r.IntN(len(c.words))])
			case c.kind == "int64":
				f.Data = append(f.Data, float64(r.IntN(5)))
			case m.missing && r.IntN(8) == 0:
				f.Data = append(f.Data, "NaN")
			default:
				f.Data = append(f.Data, math.Round(8*r.NormFloat64())/8)
			}
		}
		all[c.name] = f
	}
	return all
}

// rows are the feeds as rows of the graph.
func rowsOf(t *testing.T, g *nn.Graph, all map[string]feed) []float32 {
	var x []float32
	for i := range zooRows {
		for _, c := range g.Columns {
			f := all[c.Name]
			for j := range c.Width {
				switch v := f.Data[i*c.Width+j].(type) {
				case float64:
					x = append(x, float32(v))
				case string:
					if f.Type == "string" {
						x = append(x, float32(slices.Index(g.Words, v)))
					} else {
						x = append(x, float32(math.NaN()))
					}
				default:
					t.Fatalf("%v", v)
				}
			}
		}
	}
	return x
}

// The graphs of the zoo give the answers of ONNX Runtime: those of testdata, and of the
// runtime itself where it is there. -update writes the first from the second.
func TestClassicalZoo(t *testing.T) {
	zoo := classicalZoo()
	if len(zoo) < 30 {
		t.Fatalf("%d graphs", len(zoo))
	}
	golden := map[string]map[string]feed{}
	b, err := os.ReadFile(zooGolden)
	if err == nil {
		err = json.Unmarshal(b, &golden)
	}
	if err != nil && !*updateZoo {
		t.Fatal(err)
	}
	t.Run("live", func(t *testing.T) {
		live := runtimeAnswers(t, zoo)
		compareZoo(t, zoo, live)
		if *updateZoo {
			golden = live
			b, err := json.Marshal(live)
			if err == nil {
				err = os.WriteFile(zooGolden, append(b, '\n'), 0o644)
			}
			must.Do(t, err)
		}
	})
	compareZoo(t, zoo, golden)
}

func compareZoo(t *testing.T, zoo []zooModel, golden map[string]map[string]feed) {
	for i := range zoo {
		m := &zoo[i]
		for _, output := range m.outputs {
			want, ok := golden[m.name][output]
			if !ok {
				t.Errorf("%s: no answer %q", m.name, output)
				continue
			}
			if err := m.compare(t, output, want); err != nil {
				t.Errorf("%s, %s: %v", m.name, output, err)
			}
		}
	}
}

// compare runs one output.
func (m *zooModel) compare(t *testing.T, output string, want feed) error {
	g, err := decodeWith(m.file.bytes(), ReadOptions{Output: output})
	if err != nil {
		return err
	}
	net, err := nn.NewNet(g)
	if err != nil {
		return err
	}
	y, x := make([]float32, len(want.Data)), rowsOf(t, g, m.feeds())
	net.Forward(y, x)
	limit := 2e-6
	if strings.HasSuffix(m.name, "PROBIT") { // whose square roots in float32 cancel
		limit = 1e-4
	}
	for i, v := range want.Data {
		is := float64(y[i])
		switch v := v.(type) {
		case float64:
			if d := math.Abs(is - v); !(d <= limit*(1+math.Abs(v))) {
				return fmt.Errorf("entry %d is %v, want %v", i, is, v)
			}
		case string:
			if word := func() string {
				if k := int(is); want.Type == "string" && k >= 0 && k < len(g.Words) {
					return g.Words[k]
				}
				return fmt.Sprint(is)
			}(); word != v {
				return fmt.Errorf("entry %d is %v, want %q", i, word, v)
			}
		}
	}
	return nil
}

// runtimeScript answers each FILE.onnx with the inputs FILE.json by ONNX Runtime.
const runtimeScript = `
const ort = require('onnxruntime-node'), fs = require('fs');
const arrays = {float32: Float32Array, float64: Float64Array};
(async () => {
  const all = {};
  for (const m of JSON.parse(fs.readFileSync('models.json'))) {
    const s = await ort.InferenceSession.create(m.file, {logSeverityLevel: 4, intraOpNumThreads: 1}).catch(e => { throw new Error(m.name + ': ' + e.message); });
    const feeds = {};
    for (const [k, f] of Object.entries(m.feeds)) {
      const data = f.type == 'string' ? f.data : f.type == 'int64' ? BigInt64Array.from(f.data, BigInt) : arrays[f.type].from(f.data, Number);
      feeds[k] = new ort.Tensor(f.type, data, f.dims);
    }
    const out = await s.run(feeds, m.outputs).catch(e => { throw new Error(m.name + ': ' + e.message); });
    all[m.name] = {};
    for (const k of m.outputs) {
      const plain = v => typeof v == 'bigint' ? Number(v) : typeof v == 'number' && !Number.isFinite(v) ? String(v) : v;
      all[m.name][k] = {type: out[k].type, dims: out[k].dims, data: Array.from(out[k].data, plain)};
    }
  }
  fs.writeFileSync('answers.json', JSON.stringify(all));
})().catch(e => { console.error(e.message); process.exit(1); });
`

// runtimeAnswers asks ONNX Runtime, and skips the test where it is not there.
func runtimeAnswers(t *testing.T, zoo []zooModel) (answers map[string]map[string]feed) {
	dir := t.TempDir()
	if err := exec.Command("node", "-e", "require.resolve('onnxruntime-node')").Run(); err != nil {
		t.Skip("needs ONNX Runtime: npm install onnxruntime-node --ignore-scripts, and NODE_PATH with that node_modules")
	}
	type asked struct {
		Name    string          `json:"name"`
		File    string          `json:"file"`
		Feeds   map[string]feed `json:"feeds"`
		Outputs []string        `json:"outputs"`
	}
	var list []asked
	write := func(name string, b []byte) { must.Do(t, os.WriteFile(filepath.Join(dir, name), b, 0o644)) }
	for i := range zoo {
		m := &zoo[i]
		file := fmt.Sprintf("%d.onnx", i)
		write(file, m.file.bytes())
		list = append(list, asked{m.name, file, m.feeds(), m.outputs})
	}
	b, err := json.Marshal(list)
	must.Do(t, err)
	write("models.json", b)
	write("run.js", []byte(runtimeScript))
	node := exec.Command("node", "run.js")
	node.Dir = dir
	if out, err := node.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if b, err = os.ReadFile(filepath.Join(dir, "answers.json")); err == nil {
		err = json.Unmarshal(b, &answers)
	}
	must.Do(t, err)
	return answers
}
