package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/encoding/protowire"
)

// bytesField appends a field that holds bytes.
func bytesField(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func numberField(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

// attributeOf encodes an attribute of ONNX: integers, floats, texts or an integer.
func attributeOf(name string, value any) []byte {
	b := bytesField(nil, 1, []byte(name))
	switch v := value.(type) {
	case int:
		return numberField(numberField(b, 3, int64(v)), 20, 2)
	case []int64:
		for _, x := range v {
			b = numberField(b, 8, x)
		}
		return numberField(b, 20, 7)
	case []float32:
		for _, x := range v {
			b = protowire.AppendFixed32(protowire.AppendTag(b, 7, protowire.Fixed32Type), math.Float32bits(x))
		}
		return numberField(b, 20, 6)
	}
	for _, s := range value.([]string) {
		b = bytesField(b, 9, []byte(s))
	}
	return numberField(b, 20, 8)
}

// nodeOf encodes a node of ONNX.
func nodeOf(domain, op string, inputs, outputs string, attributes ...[]byte) []byte {
	var b []byte
	for _, s := range strings.Fields(inputs) {
		b = bytesField(b, 1, []byte(s))
	}
	for _, s := range strings.Fields(outputs) {
		b = bytesField(b, 2, []byte(s))
	}
	b = bytesField(bytesField(bytesField(b, 3, []byte(op)), 4, []byte(op)), 7, []byte(domain))
	for _, a := range attributes {
		b = bytesField(b, 5, a)
	}
	return bytesField(nil, 1, b)
}

// valueOf declares an input or output of rows; a width of 0 is one value each.
func valueOf(field protowire.Number, name string, element int64, width int64) []byte {
	shape := bytesField(nil, 1, bytesField(nil, 2, []byte("N")))
	if width > 0 {
		shape = bytesField(shape, 1, numberField(nil, 1, width))
	}
	kind := bytesField(nil, 1, bytesField(numberField(nil, 1, element), 2, shape))
	return bytesField(nil, field, bytesField(bytesField(nil, 1, []byte(name)), 2, kind))
}

// mkTrees writes a classifier of trees over the columns age and sex as sklearn-onnx writes
// such pipelines: people above 40 earn more. With "leaky" the scores carry the sex.
func mkTrees(ts *testscript.TestScript, _ bool, args []string) {
	const ml, element, text = "ai.onnx.ml", 1, 8
	share := float32(.02)
	if slices.Contains(args, "leaky") {
		share = .3
	}
	// Each tree is a root and two leaves: one asks for the age, the other for the sex.
	trees := nodeOf(ml, "TreeEnsembleClassifier", "x", "label probabilities",
		attributeOf("nodes_treeids", []int64{0, 0, 0, 1, 1, 1}), attributeOf("nodes_nodeids", []int64{0, 1, 2, 0, 1, 2}),
		attributeOf("nodes_featureids", []int64{0, 0, 0, 1, 0, 0}), attributeOf("nodes_modes", []string{"BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"}),
		attributeOf("nodes_truenodeids", []int64{1, 0, 0, 1, 0, 0}), attributeOf("nodes_falsenodeids", []int64{2, 0, 0, 2, 0, 0}),
		attributeOf("nodes_values", []float32{40, 0, 0, .5, 0, 0}),
		attributeOf("class_treeids", []int64{0, 0, 0, 0, 1, 1, 1, 1}), attributeOf("class_nodeids", []int64{1, 1, 2, 2, 1, 1, 2, 2}), attributeOf("class_ids", []int64{0, 1, 0, 1, 0, 1, 0, 1}),
		attributeOf("class_weights", []float32{.55, .1, .1, .55, .35 - share, share, share, .35 - share}), attributeOf("classlabels_strings", []string{"low", "high"}))
	sizes := numberField(numberField(numberField(numberField(bytesField(nil, 8, []byte("sizes")), 1, 2), 2, 7), 7, -1), 7, 2)
	g := slices.Concat(
		nodeOf(ml, "OneHotEncoder", "sex", "hot", attributeOf("cats_strings", []string{"f", "m"})), nodeOf("", "Reshape", "hot sizes", "flat"),
		nodeOf("", "Concat", "age flat", "x", attributeOf("axis", 1)), trees,
		nodeOf(ml, "ZipMap", "probabilities", "output_probability", attributeOf("classlabels_strings", []string{"low", "high"})),
		bytesField(nil, 5, sizes), valueOf(11, "age", element, 1), valueOf(11, "sex", text, 1), valueOf(12, "label", text, 0),
		bytesField(nil, 12, bytesField(bytesField(nil, 1, []byte("output_probability")), 2, bytesField(nil, 4, nil))))
	model := bytesField(numberField(nil, 1, 8), 7, g)
	model = bytesField(model, 8, numberField(nil, 2, 13))
	model = bytesField(model, 8, numberField(bytesField(nil, 1, []byte(ml)), 2, 3))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), model, 0o644))
}

// mkPeople writes a table of people: MODEL'S columns, their income, and what comes after.
func mkPeople(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	r := rand.New(rand.NewPCG(4, 5))
	var b strings.Builder
	fmt.Fprintln(&b, "sex,income,age,town")
	for range n {
		age, sex, income := 20+r.IntN(45), []string{"f", "m"}[r.IntN(2)], "low"
		if (age > 40) == (r.IntN(8) > 0) {
			income = "high"
		}
		years := strconv.Itoa(age)
		if slices.Contains(args, "missing") && r.IntN(50) == 0 {
			years, sex = "", "x"
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", sex, income, years, []string{"a", "b"}[r.IntN(2)])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}
