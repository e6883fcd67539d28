package onnx

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
