package onnx

import (
	"slices"

	"tattle/nn"
)

func shapeOperators() map[string]operator {
	return map[string]operator{
		"Cast":         {(*decoder).cast, []string{"round_mode", "saturate", "to"}},
		"CastLike":     {(*decoder).castLike, []string{"round_mode", "saturate"}},
		"DepthToSpace": {(*decoder).depthToSpace, []string{"blocksize", "mode"}},
		"Dropout":      {(*decoder).dropout, []string{"ratio", "seed"}},
		"Expand":       {(*decoder).expand, nil},
		"Flatten":      {(*decoder).flatten, []string{"axis"}},
		"Identity":     {(*decoder).identity, nil},
		"Reshape":      {(*decoder).reshape, []string{"allowzero"}},
		"SpaceToDepth": {(*decoder).spaceToDepth, []string{"blocksize"}},
		"Squeeze":      {(*decoder).squeeze, []string{"axes"}},
		"Tile":         {(*decoder).tile, nil},
		"Transpose":    {(*decoder).transpose, []string{"perm"}},
		"Unsqueeze":    {(*decoder).unsqueeze, []string{"axes"}},
	}
}

func (d *decoder) identity(n *node) error { return d.unary(n, &nn.Identity{}) }

// dropout does nothing in inference; its probability is kept for training. One of
// ratio 0 may be in training mode: PyTorch leaves such in attention.
func (d *decoder) dropout(n *node) error {
	p, err := n.float("ratio", 0.5)
	if err != nil {
		return err
	}
	if n.has(1) {
		ratio, err := d.constantFloats(n, 1)
		if err != nil {
			return err
		}
		if len(ratio.floats) != 1 {
			return malformed("ratio has %d values", len(ratio.floats))
		}
		p = shortest(ratio.floats[0])
	}
	if n.has(2) {
		mode, err := d.constantInts(n, 2)
		if err != nil {
			return err
		}
		if p > 0 && slices.ContainsFunc(mode, func(v int64) bool { return v != 0 }) {
			return beyond("training mode: export the model for inference")
		}
	}
	if !(p >= 0 && p < 1) {
		return beyond("ratio %v", p)
	}
	return d.unary(n, &nn.Dropout{P: p})
}

// flatten makes a matrix: what is before axis, by what is from there on.
func (d *decoder) flatten(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	a, err := n.int("axis", 1)
	if err != nil {
		return err
	}
	rank := len(x.shape)
	if a < -int64(rank) || a > int64(rank) {
		return malformed("from axis %d of %d dimensions", a, rank)
	}
	axis := int(a)
	if axis < 0 {
		axis += rank
	}
	shape := []int{nn.Size(x.shape[:axis]), nn.Size(x.shape[axis:])}
	if axis == 1 && x.shape[0] == 1 {
		return d.chain(n, x).then(&nn.Flatten{}).end(0, shape)
	}
	return d.chain(n, x).end(0, shape)
}

// reshape: 0 stands for the size before, unless allowzero says not, and one −1
// for what is left.
func (d *decoder) reshape(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	to, err := d.constantInts(n, 1)
	if err != nil {
		return err
	}
	zero, err := n.flag("allowzero", false)
	if err != nil {
		return err
	}
	shape, err := reshaped(x.shape, to, zero)
	if err != nil {
		return err
	}
	return d.chain(n, x).end(0, shape)
}

// reshaped returns the shape that Reshape makes of one.
func reshaped(from []int, to []int64, allowZero bool) ([]int, error) {
	if len(to) > maxDims {
		return nil, malformed("to %d dimensions", len(to))
	}
	shape, open, size := make([]int, len(to)), -1, 1
	for i, v := range to {
		switch {
		case v == 0 && !allowZero:
			if i >= len(from) {
				return nil, malformed("to %v from %d dimensions", to, len(from))
			}
			shape[i] = from[i]
		case v == -1 && open < 0:
			open, shape[i] = i, 1
		case v < 0 || v > maxActivation:
			return nil, malformed("to %v", to)
		default:
			shape[i] = int(v)
		}
		if size *= shape[i]; size > maxActivation {
			return nil, malformed("to %v, which is absurd", to)
		}
	}
	have := nn.Size(from)
	if open >= 0 {
		if size == 0 || have%size != 0 {
			return nil, malformed("of shape %v to %v", from, to)
		}
		shape[open] = have / size
		size = have
	}
	if size != have {
		return nil, malformed("of shape %v to %v at batch 1", from, to)
	}
	return shape, nil
}

// squeeze drops dimensions of size 1, all where none are named.
func (d *decoder) squeeze(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	list, given, err := d.list(n, "axes", 1)
	if err != nil {
		return err
	}
	axes, err := axesOf(list, len(x.shape))
	if err != nil {
		return err
	}
	var shape []int
	for a, s := range x.shape {
		named := slices.Contains(axes, a)
		if named && s != 1 {
			return malformed("of axis %d of shape %v", a, x.shape)
		}
		if !named && (given || s != 1) {
			shape = append(shape, s)
		}
	}
	return d.chain(n, x).end(0, shape)
}

// unsqueeze inserts dimensions of size 1: axes count those of the output.
func (d *decoder) unsqueeze(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	list, _, err := d.list(n, "axes", 1)
	if err != nil {
		return err
	}
	axes, err := axesOf(list, len(x.shape)+len(list))
	if err != nil {
		return err
	}
	shape, rest := []int{}, x.shape
	for a := range len(x.shape) + len(axes) {
		if slices.Contains(axes, a) {
			shape = append(shape, 1)
		} else {
			shape, rest = append(shape, rest[0]), rest[1:]
		}
	}
	return d.chain(n, x).end(0, shape)
}

// transpose permutes the dimensions, reversed unless perm says how.
func (d *decoder) transpose(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	list, given, err := d.list(n, "perm", -1)
	if err != nil {
		return err
	}
	rank := len(x.shape)
	perm, err := axesOf(list, rank)
	if err != nil {
		return err
	}
	if !given {
		for a := range rank {
			perm = append(perm, rank-1-a)
		}
	}
	if len(perm) != rank {
		return malformed("perm %v of %d dimensions", list, rank)
	}
	shape := make([]int, rank)
	for i, p := range perm {
		shape[i] = x.shape[p]
	}
	if rank > 0 && perm[0] == 0 && x.shape[0] == 1 {
		return d.chain(n, x).transpose(shifted(perm[1:], 1)).end(0, shape)
	}
	return d.whole(n, x).transpose(perm).end(0, shape)
}
