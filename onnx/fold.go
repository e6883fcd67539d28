package onnx

// folding is how a node of constants alone is computed while reading, and the
// attributes that it knows.
type folding struct {
	fold       func(*calculation) ([]*value, error)
	attributes []string
}

// foldings are the operators that fold (ONNX, Operators.md; the opset that each
// follows stands at its function, with what older ones do otherwise).
var foldings map[string]folding

func init() {
	reduce := []string{"axes", "keepdims", "noop_with_empty_axes"}
	arg := []string{"axis", "keepdims", "select_last_index"}
	foldings = map[string]folding{
		"ArgMax":          {foldArg, arg},
		"ArgMin":          {foldArg, arg},
		"Cast":            {foldCast, []string{"to", "saturate", "round_mode"}},
		"CastLike":        {foldCastLike, []string{"saturate", "round_mode"}},
		"Clip":            {foldClip, []string{"min", "max"}},
		"Concat":          {foldConcat, []string{"axis"}},
		"Constant":        {constantNode, []string{"value", "value_float", "value_floats", "value_int", "value_ints"}},
		"ConstantOfShape": {foldConstantOfShape, []string{"value"}},
		"CumSum":          {foldCumSum, []string{"exclusive", "reverse"}},
		"Expand":          {foldExpand, nil},
		"EyeLike":         {foldEyeLike, []string{"dtype", "k"}},
		"Flatten":         {foldFlatten, []string{"axis"}},
		"Gather":          {foldGather, []string{"axis"}},
		"GatherElements":  {foldGatherElements, []string{"axis"}},
		"GatherND":        {foldGatherND, []string{"batch_dims"}},
		"Identity":        {foldIdentity, nil},
		"Mod":             {foldMod, []string{"fmod"}},
		"NonZero":         {foldNonZero, nil},
		"OneHot":          {foldOneHot, []string{"axis"}},
		"Pad":             {foldPad, []string{"mode", "pads", "value"}},
		"Pow":             {foldPow, nil},
		"Range":           {foldRange, nil},
		"Reshape":         {foldReshape, []string{"allowzero"}},
		"ScatterElements": {foldScatterElements, []string{"axis", "reduction"}},
		"ScatterND":       {foldScatterND, []string{"reduction"}},
		"Shape":           {foldShape, []string{"start", "end"}},
		"Size":            {foldSize, nil},
		"Slice":           {foldSlice, []string{"axes", "ends", "starts"}},
		"Split":           {foldSplit, []string{"axis", "num_outputs", "split"}},
		"Squeeze":         {foldSqueeze, []string{"axes"}},
		"Tile":            {foldTile, nil},
		"Transpose":       {foldTranspose, []string{"perm"}},
		"Trilu":           {foldTrilu, []string{"upper"}},
		"Unsqueeze":       {foldUnsqueeze, []string{"axes"}},
		"Where":           {foldWhere, nil},
	}
	for op := range binaryFolds {
		foldings[op] = folding{foldBinary, nil}
	}
	for op := range compareFolds {
		foldings[op] = folding{foldCompare, nil}
	}
	for op := range unaryFolds {
		foldings[op] = folding{foldUnary, nil}
	}
	for op := range reductionFolds {
		foldings[op] = folding{foldReduce, reduce}
	}
}

// calculation is a node of constants.
type calculation struct {
	*node
	d  *decoder
	in []*value // nil where absent
}

// views are the operators that cost nothing, however large the constant.
var views = map[string]bool{
	"Flatten": true, "Identity": true, "Reshape": true, "Shape": true, "Size": true, "Squeeze": true, "Unsqueeze": true,
}

// calculate computes a node of constants.
func (d *decoder) calculate(n *node, how folding) error {
	c := &calculation{node: n, d: d, in: make([]*value, len(n.inputs))}
	for i, name := range n.inputs {
		if name == "" {
			continue
		}
		v, err := d.value(name)
		if err != nil {
			return err
		}
		c.in[i] = v
		if !views[n.op] {
			if err := d.claim(v.size()); err != nil {
				return err
			}
		}
	}
	out, err := how.fold(c)
	if err != nil {
		return err
	}
	for i, v := range out {
		if !views[n.op] {
			v.roundNarrow()
		}
		if i < len(n.outputs) && n.outputs[i] != "" {
			d.setConstant(n, i, v)
		}
	}
	return nil
}

// arg returns an input.
func (c *calculation) arg(i int) (*value, error) {
	if !c.has(i) {
		return nil, malformed("lacks its input %d", i+1)
	}
	return c.in[i], nil
}

// claim counts elements that folding is about to make.
func (d *decoder) claim(n int) error {
	if n < 0 || n > d.foldable {
		return beyond("computes more constants than a file of this size should need: over %d elements", maxFolded)
	}
	d.foldable -= n
	return nil
}

// blank returns a constant of that type and shape to be filled in.
func (c *calculation) blank(element int64, shape []int) (*value, error) {
	n, ok := sizeOf(shape, maxFolded)
	if !ok || len(shape) > maxDims {
		n = -1
	}
	if err := c.d.claim(n); err != nil {
		return nil, err
	}
	kind, ok := kindOf(element)
	if !ok {
		return nil, beyond("elements of %s", typeName(element))
	}
	v := &value{kind: kind, element: element, shape: shape, folded: true}
	if kind == isFloat {
		v.floats = make([]float32, n)
	} else {
		v.ints = make([]int64, n)
	}
	return v, nil
}

// listOf returns a one-dimensional int64 constant.
func (c *calculation) listOf(x []int) (*value, error) {
	v, err := c.blank(typeInt64, []int{len(x)})
	if err != nil {
		return nil, err
	}
	for i, s := range x {
		v.ints[i] = int64(s)
	}
	return v, nil
}

// reshaped returns the same elements in another shape, which has as many.
func (v *value) reshaped(shape []int) *value {
	r := *v
	v.shared, r.shared = true, true
	r.shape = shape
	return &r
}

// one returns the outputs of a node that has one.
func one(v *value, err error) ([]*value, error) {
	if err != nil {
		return nil, err
	}
	return []*value{v}, nil
}

// foldIdentity is ONNX Identity-21.
func foldIdentity(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	return one(v.reshaped(v.shape), nil)
}
