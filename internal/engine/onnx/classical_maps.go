package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/classical"
)

// Tables of values, and what chooses or joins columns.

// The values of a table that a file leaves out.
const (
	absentText = "_Unused"
	absentInt  = -1
)

// entries are keys or values of a table, as numbers.
type entries struct {
	codes   []float64
	element int64 // of ONNX: text, integers or floats
}

// entries returns the attribute of one of several types, with that stem: NAMES_strings and
// so on, or a tensor. found is false if there is none.
func (r *nodeReader) entries(stem string) (e entries, found bool) {
	switch a, ok := r.typed(stem+"_tensor", kindTensor); {
	case ok && a.tensor.kind == typeString:
		return entries{r.codes(textsOf(a.tensor.texts)), typeString}, true
	case ok:
		if kind, ok := kindOf(a.tensor.kind); ok && kind != isFloat {
			return entries{exactInts(stem, r.tensorInts(stem+"_tensor")), typeInt64}, true
		}
		return entries{r.tensorFloats(stem + "_tensor"), 0}, true
	}
	if _, ok := r.attribute(stem + "_strings"); ok {
		return entries{r.codes(r.strings(stem + "_strings")), typeString}, true
	}
	if _, ok := r.attribute(stem + "_int64s"); ok {
		return entries{exactInts(stem, r.integers(stem+"_int64s")), typeInt64}, true
	}
	if _, ok := r.attribute(stem + "_floats"); ok {
		return entries{r.doubles(stem + "_floats"), 0}, true
	}
	return e, false
}

// absent returns the value of keys that a table does not have.
func (r *nodeReader) absent(element int64) float64 {
	if e, ok := r.entries("default"); ok && len(e.codes) == 1 && e.element == element {
		return e.codes[0]
	}
	switch element {
	case typeString:
		return r.codes([]string{r.text("default_string", absentText)})[0]
	case typeInt64:
		return exactInts("default_int64", []int64{r.int("default_int64", absentInt)})[0]
	}
	return r.limitOrNaN("default_float", 0)
}

// mustBe panics unless input 0 has elements of that type.
func (r *nodeReader) mustBe(element int64) {
	x := r.operand(0)
	is := r.elements[x.name()]
	malformedIf((is == typeString) != (element == typeString), "input %q is %s, and the table's keys are %s", x.name(), elementName(is), elementName(element))
}

func elementName(element int64) string {
	if element == typeString {
		return "text"
	}
	return "numbers"
}

// look replaces input 0 by the values of a table.
func (r *nodeReader) look(keys, values entries) {
	malformedIf(len(keys.codes) != len(values.codes), "has %d keys and %d values", len(keys.codes), len(values.codes))
	r.mustBe(keys.element)
	x := r.operand(0)
	if r.classical < 4 { // in which NaN equals no key
		var own, to []float64
		for i, k := range keys.codes {
			if k == k {
				own, to = append(own, k), append(to, values.codes[i])
			}
		}
		keys.codes, values.codes = own, to
	}
	r.elements[r.outputs[0]] = values.element
	c := x.as(append(slices.Clone(x.shape), 1)) // each entry by itself
	c.opaque(classical.Lookup(r.node.op, keys.codes, values.codes, r.absent(values.element))).end(0, x.shape)
}

// labelEncoder is ONNX LabelEncoder-4, and version 1, whose classes are text.
func (r *nodeReader) labelEncoder() {
	if _, ok := r.attribute("classes_strings"); ok {
		text := r.strings("classes_strings")
		r.numbered(r.codes(text), countInts(len(text)))
		return
	}
	keys, ok := r.entries("keys")
	values, also := r.entries("values")
	malformedIf(!ok || !also, "has no keys or no values")
	r.look(keys, values)
}

// categoryMapper is ONNX CategoryMapper-1.
func (r *nodeReader) categoryMapper() {
	r.numbered(r.codes(r.strings("cats_strings")), exactInts("cats_int64s", r.integers("cats_int64s")))
}

// numbered replaces texts by integers, or the other way round.
func (r *nodeReader) numbered(texts, ints []float64) {
	a, b := entries{texts, typeString}, entries{ints, typeInt64}
	if r.elements[r.operand(0).name()] == typeString {
		r.look(a, b)
		return
	}
	r.look(b, a)
}

// countInts returns 0, 1 … n−1.
func countInts(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// oneHotEncoder is ONNX OneHotEncoder-1. Without the attribute zeros a runtime fails at a
// category that it does not know: here its entries are NaN.
func (r *nodeReader) oneHotEncoder() {
	cats, ok := r.entries("cats")
	malformedIf(!ok || len(cats.codes) == 0, "has no categories")
	r.mustBe(cats.element)
	x := r.operand(0)
	shape := append(slices.Clone(x.shape), len(cats.codes))
	r.mustFit(shape)
	c := x.inner()
	if r.elements[x.name()] == 0 {
		c = c.truncated()
	}
	c = c.as(append(slices.Clone(c.shape), 1))
	c.opaque(classical.OneHot(cats.codes, !r.flag("zeros", true))).end(0, shape)
}

// imputer is ONNX Imputer-1.
func (r *nodeReader) imputer() {
	c, width := r.table()
	by, replaced := r.doubles("imputed_value_floats"), r.limitOrNaN("replaced_value_float", 0)
	if ints := r.integers("imputed_value_int64s"); len(ints) > 0 {
		by, replaced = exactInts("imputed_value_int64s", ints), exactInts("replaced_value_int64", []int64{r.int("replaced_value_int64", 0)})[0]
	}
	malformedIf(len(by) == 0, "has no imputed values")
	r.elements[r.outputs[0]] = r.elements[r.operand(0).name()]
	r.answer(c.opaque(classical.Imputer(replaced, by)), 0, width)
}

// limitOrNaN returns a float attribute of any value.
func (n *node) limitOrNaN(name string, absent float64) float64 {
	a, ok := n.typed(name, kindFloat)
	return or(float64(math.Float32frombits(a.bits)), ok, absent)
}

// binarizer is ONNX Binarizer-1.
func (r *nodeReader) binarizer() {
	x := r.operand(0)
	r.mustBeNumeric(x)
	x.inner().number("Greater", r.float("threshold", 0)).end(0, x.shape)
}

// arrayFeatureExtractor is ONNX ArrayFeatureExtractor-1, with constant indices.
func (r *nodeReader) arrayFeatureExtractor() {
	x := r.operand(0)
	unsupportedIf(x.value != nil, "the indices are computed: they must be constant")
	index := r.ints(1)
	unsupportedIf(len(x.shape) < 2, "input %q has shape %v: it must be rows", x.name(), x.shape)
	last := len(x.shape) - 1
	places := make([]int, len(index))
	for i, p := range index {
		if p < 0 || p >= int64(x.shape[last]) {
			panic(malformedf("index %d of rows of %d", p, x.shape[last]))
		}
		places[i] = int(p)
	}
	shape := append(slices.Clone(x.shape[:last]), len(places))
	r.mustFit(shape)
	c := x.rows()
	c.then(&nn.Gather{Axis: len(c.shape) - 1, Indices: places, Dims: []int{len(places)}}).end(0, shape)
}

// featureVectorizer is ONNX FeatureVectorizer-1: it joins rows.
func (r *nodeReader) featureVectorizer() {
	sizes := r.integers("inputdimensions")
	malformedIf(len(sizes) != len(r.inputs) || len(r.inputs) == 0,
		"attribute \"inputdimensions\" has %d values for %d inputs", len(sizes), len(r.inputs))
	var parts []*view
	total := 0
	for i, n := range sizes {
		x := r.operand(i)
		r.mustBeNumeric(x)
		unsupportedIf(len(x.shape) != 2 || int64(x.shape[1]) != n,
			"input %q has shape %v, and inputdimensions is %d", x.name(), x.shape, n)
		parts = append(parts, x.rows())
		total += x.shape[1]
	}
	c := parts[0]
	if len(parts) > 1 {
		c = c.then(&nn.Concat{Axis: len(c.shape) - 1}, parts[1:]...)
	}
	r.answer(c, 0, total)
}
