package nn

import "math"

// attention appends the attention of the patches of each window to one another, the
// windows shifted by half a window where that is asked for and there is more than
// one (Liu et al., section 3.2).
func (b *swin) attention(name string, heads int, shifted bool) {
	height, width := b.shape[0], b.shape[1]
	b.pad(name+".pad", b.o.Window)
	h, w, c := b.shape[0], b.shape[1], b.shape[2]
	shift := [2]int{b.shiftOf(h, shifted), b.shiftOf(w, shifted)}
	b.roll(name+".shift", shift[0], shift[1])
	b.windows(name, func() { b.windowAttention(name, heads, c, h, w, shift) })
	b.roll(name+".unshift", -shift[0], -shift[1])
	if h != height || w != width {
		b.append(name+".unpad", &Slice{Starts: []int{0, 0, 0}, Counts: []int{height, width, c}})
	}
}

func (b *swin) shiftOf(side int, shifted bool) int {
	if !shifted || b.o.Window >= side {
		return 0
	}
	return b.o.Window / 2
}

// roll moves what lies rows down and columns to the right to the start, around the
// ends.
func (b *swin) roll(name string, rows, columns int) {
	for axis, by := range []int{rows, columns} {
		if by != 0 {
			n := b.shape[axis]
			index := make([]int, n)
			for i := range index {
				index[i] = modulo(i+by, n)
			}
			b.append(name+[]string{"_rows", "_columns"}[axis], &Gather{Axis: axis, Indices: index, Dims: []int{n}})
		}
	}
}

// windows cuts [height, width, c] into windows [·, window², c], applies a part to
// them and puts them together again.
func (b *swin) windows(name string, part func()) {
	h, w, c, s := b.shape[0], b.shape[1], b.shape[2], b.o.Window
	swap := &Transpose{[]int{0, 2, 1, 3, 4}}
	b.append(name+".cut", &Reshape{[]int{h / s, s, w / s, s, c}})
	b.append(name+".windows", swap)
	b.append(name+".patches", &Reshape{[]int{h / s * (w / s), s * s, c}})
	part()
	b.append(name+".uncut", &Reshape{[]int{h / s, w / s, s, s, c}})
	b.append(name+".unwindows", swap)
	b.append(name+".whole", &Reshape{[]int{h, w, c}})
}

// windowAttention maps windows [n, patches, c] of an image of h × w patches.
func (b *swin) windowAttention(name string, heads, c, h, w int, shift [2]int) {
	n, patches, depth := b.shape[0], b.shape[1], c/heads
	b.denseAs(name+".qkv", 3*c, true)
	b.append(name+".heads", &Reshape{[]int{n, patches, 3, heads, depth}})
	all := b.join(name+".split", &Transpose{[]int{2, 0, 3, 1, 4}}, b.g.Output)
	one := func(i int, what string) string {
		return b.join(name+what, &Gather{Axis: 0, Indices: []int{i}}, all)
	}
	q, k, v := one(0, ".q"), one(1, ".k"), one(2, ".v")
	scale := &Param{Name: name + ".scale", Data: []float32{float32(1 / math.Sqrt(float64(depth)))}}
	q = b.join(name+".scaled", &Arithmetic{Operator: "Mul", Constant: scale}, q)
	logits := b.join(name+".logits", &MatMul{TransB: true}, q, k)
	b.join(name+".biased", &Arithmetic{Operator: "Add"}, logits, b.positions(name, heads))
	if shift != [2]int{} {
		b.append(name+".masked", &Arithmetic{Operator: "Add", Constant: b.mask(name+".mask", h, w, shift)})
	}
	weights := b.join(name+".softmax", &Softmax{}, b.g.Output)
	b.join(name+".mix", &MatMul{}, weights, v)
	b.append(name+".unheads", &Transpose{[]int{0, 2, 1, 3}})
	b.append(name+".rows", &Reshape{[]int{n, patches, c}})
	b.denseAs(name+".proj", c, true)
}

// positions returns the tensor [heads, patches, patches] of biases by the relative
// position of two patches in a window, which is looked up in a learned table
// [(2·window − 1)², heads].
func (b *swin) positions(name string, heads int) string {
	s := b.o.Window
	index := make([]int, 0, s*s*s*s)
	for i := range s * s {
		for j := range s * s {
			index = append(index, (i/s-j/s+s-1)*(2*s-1)+i%s-j%s+s-1)
		}
	}
	table := name + ".relative_position_bias_table"
	b.join(name+".table", &Constant{Value: newParam(table, (2*s-1)*(2*s-1), heads), Learned: true})
	b.append(name+".lookup", &Gather{Axis: 0, Indices: index, Dims: []int{s * s, s * s}})
	b.append(name+".positions", &Transpose{[]int{2, 0, 1}})
	return b.g.Output
}

// mask returns what is added to the logits, [windows, 1, patches, patches]: 0 for
// patches that were neighbours before the shift, else swinMask.
func (b *swin) mask(name string, h, w int, shift [2]int) *Param {
	s := b.o.Window
	region := func(i, n, shift int) int { // of a row or column after the shift
		switch {
		case shift == 0 || i < n-s:
			return 0
		case i < n-shift:
			return 1
		}
		return 2
	}
	p := newParam(name, h/s*(w/s), 1, s*s, s*s)
	for i := range p.Data {
		window, from, to := i/(s*s*s*s), i/(s*s)%(s*s), i%(s*s)
		top, left := window/(w/s)*s, window%(w/s)*s
		place := func(patch int) int {
			return 3*region(top+patch/s, h, shift[0]) + region(left+patch%s, w, shift[1])
		}
		if place(from) != place(to) {
			p.Data[i] = swinMask
		}
	}
	return p
}
