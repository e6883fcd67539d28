package onnx

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// The cases of single nodes of ai.onnx.ml in the ONNX project's backend tests (1.18), with
// an open batch.
func TestClassicalNodeCases(t *testing.T) {
	nan := math.NaN()
	text := func(attributes ...[]byte) *modelFile {
		f := newTable().ml("LabelEncoder", in("x"), in("y"), attributes...).result("y", typeInt64, 0)
		f.classical = 4
		f.inputs = appendBytes(nil, graphInput, declaredAs("x", typeString, "N"))
		return f
	}
	shorts := func(name string, x ...int64) []byte {
		b := tensorOf(name, typeInt16, len(x))
		for _, v := range x {
			b = appendInt(b, tensorInt32s, v)
		}
		return attributeOf(name, b)
	}
	ensemble := func(width int, element int64, attributes ...[]byte) *modelFile {
		f := newTable().column("x", element, width).ml("TreeEnsemble", in("x"), in("y"), append(attributes, number("aggregate_function", 1), number("post_transform", 0), intList("tree_roots", 0), intList("nodes_featureids", 0, 0, 0))...).result("y", element, 0)
		f.classical = 5
		return f
	}
	binarizer := newTable().ml("Binarizer", in("x"), in("y"), float("threshold", 1)).result("y", typeFloat, 0)
	binarizer.inputs = appendBytes(nil, graphInput, declaredAs("x", typeFloat, "N", 2, 2))
	words := []string{"a", "b", "d", "c", "g"}
	for name, c := range map[string]struct {
		file *modelFile
		x    []float64
		text []string
		want []float64
	}{
		"array_feature_extractor": {newTable().column("x", typeFloat, 4).tensor(intTensor("i", 0, 1)).ml("ArrayFeatureExtractor", in("x", "i"), in("y")).result("y", typeFloat, 2),
			[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, nil, []float64{0, 1, 4, 5, 8, 9}},
		"binarizer":                     {binarizer, []float64{.5, 1, 1.5, -2, 3, 0, 1, 2}, nil, []float64{0, 0, 1, 0, 1, 0, 0, 1}},
		"label_encoder_string_int":      {text(textList("keys_strings", "a", "b", "c"), intList("values_int64s", 0, 1, 2), number("default_int64", 42)), nil, words, []float64{0, 1, 42, 2, 42}},
		"label_encoder_string_int_none": {text(textList("keys_strings", "a", "b", "c"), intList("values_int64s", 0, 1, 2)), nil, words, []float64{0, 1, -1, 2, -1}},
		"label_encoder_tensor_mapping":  {text(textTensor("keys_tensor", "a", "b", "c"), shorts("values_tensor", 0, 1, 2), shorts("default_tensor", 42)), nil, words, []float64{0, 1, 42, 2, 42}},
		"normalizer_max":                {newTable().column("x", typeFloat, 2).ml("Normalizer", in("x"), in("y"), attributeText("norm", "MAX")).result("y", typeFloat, 2), []float64{1, 2, -4, 3, 0, 5}, nil, []float64{.5, 1, -4. / 3, 1, 0, 1}},
		"normalizer_max_zero_divisor":   {newTable().column("x", typeFloat, 2).ml("Normalizer", in("x"), in("y"), attributeText("norm", "MAX")).result("y", typeFloat, 2), []float64{0, 0, 1, 0}, nil, []float64{0, 0, 1, 0}},
		"tree_ensemble_single_tree": {ensemble(2, typeDouble, number("n_targets", 2), numbersOf("nodes_modes", typeUint8, 0, 0, 0), numbersOf("nodes_splits", typeDouble, 3.14, 1.2, 4.2),
			intList("nodes_truenodeids", 1, 0, 1), intList("nodes_trueleafs", 0, 1, 1), intList("nodes_falsenodeids", 2, 2, 3), intList("nodes_falseleafs", 0, 1, 1),
			intList("leaf_targetids", 0, 1, 0, 1), numbersOf("leaf_weights", typeDouble, 5.23, 12.12, -12.23, 7.21)), []float64{1.2, 3.4, -.12, 1.66, 4.14, 1.77}, nil, []float64{5.23, 0, 5.23, 0, 0, 12.12}},
		"tree_ensemble_set_membership": {ensemble(1, typeFloat, number("n_targets", 4), numbersOf("membership_values", typeFloat, 1.2, 3.7, 8, 9, nan, 12, 7, nan), numbersOf("nodes_modes", typeUint8, 0, 6, 6), numbersOf("nodes_splits", typeFloat, 11, 232344, nan),
			intList("nodes_trueleafs", 0, 1, 1), intList("nodes_truenodeids", 1, 0, 1), intList("nodes_falseleafs", 1, 0, 1), intList("nodes_falsenodeids", 2, 2, 3),
			intList("leaf_targetids", 0, 1, 2, 3), numbersOf("leaf_weights", typeFloat, 1, 10, 1000, 100)), []float64{1.2, 3.4, -.12, nan, 12, 7}, nil,
			[]float64{1, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 1000, 0, 0, 0, 1000, 0, 0, 10, 0, 0}},
	} {
		g, err := decodeWith(c.file.bytes(), ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x := c.x
		for _, s := range c.text {
			x = append(x, float64(slices.Index(g.Words, s)))
		}
		y := make([]float64, len(c.want))
		if name == "tree_ensemble_single_tree" { // whose inputs are float64
			net(t, g).Forward64(y, x)
		} else {
			narrow, got := make([]float32, len(x)), make([]float32, len(y))
			for i, v := range x {
				narrow[i] = float32(v)
			}
			net(t, g).Forward(got, narrow)
			for i, v := range got {
				y[i] = float64(v)
			}
		}
		for i, v := range c.want {
			if math.Abs(y[i]-v) > 1e-6 {
				t.Errorf("%s: %v, want %v", name, y, c.want)
				break
			}
		}
	}
}

func attributeNameOf(b []byte) (name string) {
	w := &wire{}
	w.each(b, func(f field) { name = w.named(f, attributeName).name })
	return name
}

// What a file gets wrong is said in one line, and so is what is not supported.
func TestClassicalErrors(t *testing.T) {
	stump := func(changes ...[]byte) *modelFile {
		list := [][]byte{
			intList("nodes_treeids", 0, 0, 0), intList("nodes_nodeids", 0, 1, 2), intList("nodes_featureids", 0, 0, 0), textList("nodes_modes", "BRANCH_LEQ", "LEAF", "LEAF"),
			intList("nodes_truenodeids", 1, 0, 0), intList("nodes_falsenodeids", 2, 0, 0), floatList("nodes_values", 0, 0, 0),
			intList("target_ids", 0, 0), intList("target_nodeids", 1, 2), intList("target_treeids", 0, 0), floatList("target_weights", 1, 2),
		}
		for _, b := range changes { // in the place of the attribute of that name
			i := slices.IndexFunc(list, func(a []byte) bool { return attributeNameOf(a) == attributeNameOf(b) })
			list[i] = b
		}
		return newTable().column("x", typeFloat, 2).ml("TreeEnsembleRegressor", in("x"), in("y"), list...).result("y", typeFloat, 1)
	}
	must.Get(decodeWith(stump().bytes(), ReadOptions{}))(t)
	columns := func() *modelFile { return newTable().column("x", typeFloat, 2).column("s", typeString, 1) }
	late := newTable().column("x", typeFloat, 2).ml("Scaler", in("x"), in("y")).result("y", typeFloat, 2)
	late.classical = 6
	for want, f := range map[string]*modelFile{
		"node 0 leads back to itself":                              stump(intList("nodes_truenodeids", 0, 0, 0)),
		"leads to node 7, which is not there":                      stump(intList("nodes_falsenodeids", 7, 0, 0)),
		"a tree reads input 2 of rows of 2":                        stump(intList("nodes_featureids", 2, 0, 0)),
		"node 0 reads input -1":                                    stump(intList("nodes_featureids", -5, 0, 0)),
		"a leaf votes for output 3 of 1":                           stump(intList("target_ids", 3, 0)),
		"a weight is of node 9 of tree 0, which is not there":      stump(intList("target_nodeids", 9, 2)),
		"node 1 of tree 0 is there twice":                          stump(intList("nodes_nodeids", 0, 1, 1)),
		"they must be as long as each other":                       stump(floatList("nodes_values", 0)),
		`has the mode "BRANCH_MAYBE"`:                              stump(textList("nodes_modes", "BRANCH_MAYBE", "LEAF", "LEAF")),
		"a leaf has the weight +Inf":                               stump(floatList("target_weights", math.Inf(1), 2)),
		"ai.onnx.ml 6: 1 to 5 are supported":                       late,
		"TfIdfOf":                                                  columns().ml("TfIdfOf", in("x"), in("y")).result("y", typeFloat, 2),
		`input "s" is text: it must be numbers`:                    columns().ml("Scaler", in("s"), in("y")).result("y", typeFloat, 1),
		"computes with text":                                       columns().op("Add", in("s", "s"), in("y")).result("y", typeString, 1),
		"a cast of text to float32":                                columns().op("Cast", in("s"), in("y"), number("to", typeFloat)).result("y", typeFloat, 1),
		`input "x" is numbers, and the table's keys are text`:      columns().ml("LabelEncoder", in("x"), in("y"), textList("keys_strings", "a"), intList("values_int64s", 1)).result("y", typeInt64, 2),
		"3 coefficients and 1 intercepts do not fit rows of 2":     columns().ml("LinearRegressor", in("x"), in("y"), floatList("coefficients", 1, 2, 3), floatList("intercepts", 1)).result("y", typeFloat, 1),
		"holds 20000001: integers are computed in float32":         columns().ml("LabelEncoder", in("s"), in("y"), textList("keys_strings", "a"), intList("values_int64s", 20000001)).result("y", typeInt64, 1),
		`attribute "kernel_params" has 0 values: it must have 3`:   columns().ml("SVMRegressor", in("x"), in("y"), attributeText("kernel_type", "RBF"), floatList("coefficients", 1), floatList("rho", 1)).result("y", typeFloat, 1),
		`attribute "post_transform" is "TANH": it must be NONE, L`: columns().ml("LinearRegressor", in("x"), in("y"), floatList("coefficients", 1, 2, 3, 4), floatList("intercepts", 1, 1), number("targets", 2), attributeText("post_transform", "TANH")).result("y", typeFloat, 2),
	} {
		must.Fail(t, must.Err(decodeWith(f.bytes(), ReadOptions{})), want)
	}
}

// Several inputs are one row, in the order of the file; a part that is not needed is no
// column.
func TestColumns(t *testing.T) {
	f := newTable().column("a", typeFloat, 2).column("unused", typeString, 1).column("b", typeInt64, 1).
		op("Cast", in("b"), in("c"), number("to", typeFloat)).op("Concat", in("c", "a"), in("y"), number("axis", 1)).
		ml("Identity", in("unused"), in("z")).result("y", typeFloat, 3)
	g := must.Get(decodeWith(f.bytes(), ReadOptions{}))(t)
	want := []nn.Column{{Name: "a", Width: 2, Type: nn.ColumnNumber}, {Name: "b", Width: 1, Type: nn.ColumnInteger}}
	if !slices.Equal(g.Columns, want) || !slices.Equal(g.InputShape, []int{3}) {
		t.Errorf("columns %v, shape %v", g.Columns, g.InputShape)
	}
	y := make([]float32, 6)
	net(t, g).Forward(y, []float32{1, 2, 3, 4, 5, 6})
	if !slices.Equal(y, []float32{3, 1, 2, 6, 4, 5}) {
		t.Error(y)
	}
}
