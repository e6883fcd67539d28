package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
)

// Gathering and scattering with constant indices. Each function works out the places of
// the entries in the data laid out flat, which a Gather of package nn reads.

// indices returns input 1, constant integers.
func (r *nodeReader) indices() *value {
	v := r.constant(1)
	malformedIf(v.kind != isInt, "indices %q have type %s: they must be integers", v.name, typeName(v.element))
	return v
}

// gather is ONNX Gather-13: entries along an axis.
func (r *nodeReader) gather() {
	x, v := r.operand(0), r.indices()
	axis := r.axis(0, len(x.shape))
	size := x.shape[axis]
	shape := slices.Concat(x.shape[:axis], v.shape, x.shape[axis+1:])
	index := make([]int, len(v.ints))
	for i, k := range v.ints {
		index[i] = indexIn(k, size)
	}
	r.mustFit(shape)
	r.claim(len(index))
	if len(index) == 1 && size == 1 {
		x.end(0, shape)
		return
	}
	c, shift := x.along(axis)
	c.then(&nn.Gather{Axis: axis - shift, Indices: index, Dims: slices.Clone(v.shape)}).end(0, shape)
}

// gatherElements is ONNX GatherElements-13: one entry for each index, along the axis by the
// index and along the others where the index is.
func (r *nodeReader) gatherElements() {
	x, v := r.operand(0), r.indices()
	r.pick(x, r.elementPlaces(x.shape, v), v.shape)
}

// gatherND is ONNX GatherND-13: slices by tuples of indices.
func (r *nodeReader) gatherND() {
	x, v := r.operand(0), r.indices()
	lead := r.int("batch_dims", 0)
	malformedIf(lead < 0 || lead >= int64(min(len(x.shape)+1, len(v.shape))) || !slices.Equal(x.shape[:lead], v.shape[:lead]),
		"batch_dims %d of shapes %v and %v", lead, x.shape, v.shape)
	places, shape := r.slicePlaces(x.shape, v, int(lead))
	r.pick(x, places, shape)
}

// pick gives the node's output the entries of c at these places.
func (r *nodeReader) pick(c *view, places, shape []int) {
	r.mustFit(shape)
	c.as([]int{nn.Size(c.shape)}).then(&nn.Gather{Indices: places, Dims: []int{len(places)}}).end(0, shape)
}

// elementPlaces returns where in a tensor of that shape each index along an axis points.
func (r *nodeReader) elementPlaces(shape []int, v *value) []int {
	axis := r.axis(0, len(shape))
	fits := len(v.shape) == len(shape)
	for d := 0; fits && d < len(shape); d++ {
		fits = d == axis || v.shape[d] <= shape[d]
	}
	malformedIf(!fits, "indices of shape %v do not fit shape %v", v.shape, shape)
	r.claim(len(v.ints))
	by := nn.Strides(shape)
	along := by[axis]
	by[axis] = 0
	places := nn.Places(v.shape, by)
	for i, k := range v.ints {
		places[i] += indexIn(k, shape[axis]) * along
	}
	return places
}

// slicePlaces returns where in a tensor of that shape the slices lie to which the tuples in
// the last dimension of v point, behind lead dimensions that both share, and the shape of
// all slices together.
func (r *nodeReader) slicePlaces(shape []int, v *value, lead int) (places, out []int) {
	last := len(v.shape) - 1
	malformedIf(last < 0 || lead+v.shape[last] > len(shape), "indices of shape %v do not fit shape %v", v.shape, shape)
	depth := v.shape[last]
	rest := shape[lead+depth:]
	out = slices.Concat(v.shape[:last], rest)
	if r.claimAll(out) == 0 {
		return nil, out
	}
	size, each := nn.Size(rest), nn.Size(v.shape[lead:last])
	for i := range nn.Size(v.shape[:last]) {
		at := i / each
		for j, s := range shape[lead : lead+depth] {
			at = at*s + indexIn(v.ints[i*depth+j], s)
		}
		for k := range size {
			places = append(places, at*size+k)
		}
	}
	return places, out
}

// scatterElements is ONNX ScatterElements-18.
func (r *nodeReader) scatterElements() {
	x, v := r.operand(0), r.indices()
	r.scatter(x, r.elementPlaces(x.shape, v), v.shape)
}

// scatterND is ONNX ScatterND-18.
func (r *nodeReader) scatterND() {
	x, v := r.operand(0), r.indices()
	places, shape := r.slicePlaces(x.shape, v, 0)
	r.scatter(x, places, shape)
}

// scatter replaces the entries at these places by updates of that shape, in order.
func (r *nodeReader) scatter(x *view, places, shape []int) {
	updates, how := r.operand(2), r.text("reduction", "none")
	malformedIf(!slices.Equal(shape, updates.shape), "updates of shape %v: it must be %v", updates.shape, shape)
	r.mustAgree(0, 2)
	unsupportedIf(how != "none", "reduction %q", how)
	r.claim(nn.Size(x.shape) + len(places))
	from := nn.Indices(nn.Size(x.shape)) // the data, and then the updates
	for i, p := range places {
		from[p] = len(from) + i
	}
	c := x.as([]int{len(from)})
	r.pick(c.then(&nn.Concat{}, updates.as([]int{len(places)})), from, x.shape)
}

// nonZero is ONNX NonZero-13: the indices of the entries that are not 0, row-major, one
// column each; those of a scalar have no rows.
func (r *nodeReader) nonZero() {
	v, x := r.constant(0), r.scratch.widened(r.inputs[0])
	var at []int
	for i := range x {
		if x[i] != 0 {
			at = append(at, i)
		}
	}
	by := nn.Strides(v.shape)
	r.set(r.generated(typeInt64, []int{len(v.shape), len(at)}, func(i int) float64 {
		d := i / len(at)
		return float64(at[i%len(at)] / by[d] % v.shape[d])
	}))
}
