package onnx

import (
	"slices"

	"tattle/nn"
)

func gatherOperators() map[string]operator {
	return map[string]operator{
		"Gather":          {(*decoder).gather, []string{"axis"}},
		"GatherElements":  {(*decoder).gatherElements, []string{"axis"}},
		"GatherND":        {(*decoder).gatherND, []string{"batch_dims"}},
		"Scatter":         {(*decoder).scatterElements, []string{"axis"}},
		"ScatterElements": {(*decoder).scatterElements, []string{"axis", "reduction"}},
		"ScatterND":       {(*decoder).scatterND, []string{"reduction"}},
	}
}

// indices returns the node's input i, constant integers, and its shape.
func (d *decoder) indices(n *node, i int) (*value, error) {
	v, err := d.constantValue(n, i)
	if err == nil && v.kind != isInt {
		err = malformed("indices %q are of %s", v.name, typeName(v.element))
	}
	return v, err
}

// indexIn counts a negative index from the end.
func indexIn(i int64, size int) (int, error) {
	if i < -int64(size) || i >= int64(size) {
		return 0, malformed("index %d of %d", i, size)
	}
	if i < 0 {
		i += int64(size)
	}
	return int(i), nil
}

// gather takes entries along an axis by constant indices.
func (d *decoder) gather(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	a, err := n.int("axis", 0)
	if err != nil {
		return err
	}
	axis, err := axisOf(a, len(x.shape))
	if err != nil {
		return err
	}
	v, err := d.indices(n, 1)
	if err != nil {
		return err
	}
	shape := slices.Concat(x.shape[:axis], v.shape, x.shape[axis+1:])
	if err := d.bounded(n.outputs[0], shape); err != nil {
		return err
	}
	if err := d.claim(len(v.ints)); err != nil {
		return err
	}
	op := &nn.Gather{Indices: make([]int, len(v.ints)), Dims: slices.Clone(v.shape)}
	for i, k := range v.ints {
		if op.Indices[i], err = indexIn(k, x.shape[axis]); err != nil {
			return err
		}
	}
	if len(op.Indices) == 1 && x.shape[axis] == 1 {
		return d.chain(n, x).end(0, shape)
	}
	c, shift := d.axesInner(n, x, axis)
	op.Axis = axis - shift
	return c.then(op).end(0, shape)
}

// pick gathers single entries, of which places tells where each lies in x laid
// out flat.
func (d *decoder) pick(n *node, c *chain, places, shape []int) error {
	c = c.view([]int{nn.Size(c.shape)})
	return c.then(&nn.Gather{Indices: places, Dims: []int{len(places)}}).end(0, shape)
}

// gatherElements takes one entry an index: along the axis by the index, along the
// others from the index's own place.
func (d *decoder) gatherElements(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	v, err := d.indices(n, 1)
	if err != nil {
		return err
	}
	if err := d.claim(len(v.ints)); err != nil {
		return err
	}
	places, err := n.elements(x.shape, v)
	if err != nil {
		return err
	}
	if err := d.bounded(n.outputs[0], v.shape); err != nil {
		return err
	}
	return d.pick(n, d.chain(n, x), places, v.shape)
}

// elements returns where in a tensor of that shape each index of an axis points.
func (n *node) elements(shape []int, v *value) ([]int, error) {
	a, err := n.int("axis", 0)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(a, len(shape))
	if err != nil {
		return nil, err
	}
	if len(v.shape) != len(shape) {
		return nil, malformed("indices of shape %v for shape %v", v.shape, shape)
	}
	for b, size := range v.shape {
		if b != axis && size > shape[b] {
			return nil, malformed("indices of shape %v for shape %v", v.shape, shape)
		}
	}
	by := steps(shape)
	along := by[axis]
	by[axis] = 0
	places := make([]int, len(v.ints))
	walk(v.shape, [][]int{by}, func(i int, at []int) {
		k, wrong := indexIn(v.ints[i], shape[axis])
		if wrong != nil {
			err = wrong
		}
		places[i] = at[0] + k*along
	})
	return places, err
}

// gatherND takes slices by tuples of indices.
func (d *decoder) gatherND(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	v, err := d.indices(n, 1)
	if err != nil {
		return err
	}
	lead, err := n.int("batch_dims", 0)
	if err != nil {
		return err
	}
	if lead < 0 || lead >= int64(min(len(x.shape), len(v.shape))) || !slices.Equal(x.shape[:lead], v.shape[:lead]) {
		return malformed("batch_dims %d of shapes %v and %v", lead, x.shape, v.shape)
	}
	t, err := tuples(x.shape, v, int(lead))
	if err != nil {
		return err
	}
	shape := slices.Concat(v.shape[:len(v.shape)-1], t.rest)
	if err := d.bounded(n.outputs[0], shape); err != nil {
		return err
	}
	if err := d.claim(nn.Size(shape)); err != nil {
		return err
	}
	return d.pick(n, d.chain(n, x), t.places(), shape)
}

// tuple is what the last dimension of indices points to: slices of a shape.
type tuple struct {
	starts []int // of the slices, in the tensor laid out flat
	rest   []int // shape of a slice
}

func tuples(shape []int, v *value, lead int) (t tuple, err error) {
	if len(v.shape) == 0 {
		return t, malformed("indices without dimensions")
	}
	k := v.shape[len(v.shape)-1]
	if k < 1 || lead+k > len(shape) {
		return t, malformed("indices of %d dimensions for shape %v", k, shape)
	}
	t.rest = shape[lead+k:]
	size, batch := nn.Size(t.rest), nn.Size(shape[:lead])
	count := len(v.ints) / k
	for i := range count {
		at := 0
		if batch > 0 {
			at = i / (count / batch)
		}
		for j, s := range shape[lead : lead+k] {
			index, err := indexIn(v.ints[i*k+j], s)
			if err != nil {
				return t, err
			}
			at = at*s + index
		}
		t.starts = append(t.starts, at*size)
	}
	return t, nil
}

// places lists every entry of the slices.
func (t tuple) places() []int {
	size := nn.Size(t.rest)
	places := make([]int, 0, len(t.starts)*size)
	for _, s := range t.starts {
		for i := range size {
			places = append(places, s+i)
		}
	}
	return places
}

func (d *decoder) scatterElements(n *node) error {
	return d.scatter(n, func(x []int, v *value) ([]int, []int, error) {
		places, err := n.elements(x, v)
		return places, v.shape, err
	})
}

func (d *decoder) scatterND(n *node) error {
	return d.scatter(n, func(x []int, v *value) ([]int, []int, error) {
		t, err := tuples(x, v, 0)
		if err != nil {
			return nil, nil, err
		}
		shape := slices.Concat(v.shape[:len(v.shape)-1], t.rest)
		if err := d.bounded(n.outputs[0], shape); err != nil {
			return nil, nil, err
		}
		if err := d.claim(nn.Size(shape)); err != nil {
			return nil, nil, err
		}
		return t.places(), shape, nil
	})
}

// scatter replaces entries at constant places by updates: it gathers from both,
// one behind the other.
func (d *decoder) scatter(n *node, where func(x []int, v *value) (places, shape []int, err error)) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	v, err := d.indices(n, 1)
	if err != nil {
		return err
	}
	updates, err := d.operand(n, 2)
	if err != nil {
		return err
	}
	how, err := n.text("reduction", "none")
	if err != nil {
		return err
	}
	if how != "none" {
		return beyond("reduction %q", how)
	}
	if err := d.claim(nn.Size(x.shape) + len(v.ints)); err != nil {
		return err
	}
	places, shape, err := where(x.shape, v)
	if err != nil {
		return err
	}
	if !slices.Equal(shape, updates.shape) {
		return malformed("updates of shape %v, not %v", updates.shape, shape)
	}
	from := make([]int, nn.Size(x.shape))
	for i := range from {
		from[i] = i
	}
	for i, p := range places {
		from[p] = len(from) + i
	}
	c := d.chain(n, x).view([]int{len(from)})
	c = c.then(&nn.Concat{}, d.chain(n, updates).view([]int{len(places)}))
	return d.pick(n, c, from, x.shape)
}
