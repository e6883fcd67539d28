package zoo

import (
	"math"

	"tattle/internal/engine/nn"
)

// attention appends the attention of the patches of each window to one another, the
// windows shifted by half a window where that is asked for and there is more than
// one (Liu et al., section 3.2).
func (b *swin) attention(name string, heads int, shifted bool) {
	height, width := b.Last()[0], b.Last()[1]
	b.pad(name+".pad", b.o.Window)
	h, w, c := b.Last()[0], b.Last()[1], b.Last()[2]
	shift := [2]int{b.shiftOf(h, shifted), b.shiftOf(w, shifted)}
	b.roll(name+".shift", shift[0], shift[1])
	b.windows(name, func() { b.windowAttention(name, heads, c, h, w, shift) })
	b.roll(name+".unshift", -shift[0], -shift[1])
	if h != height || w != width {
		b.Add(name+".unpad", &nn.Slice{Starts: []int{0, 0, 0}, Counts: []int{height, width, c}})
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
			n := b.Last()[axis]
			index := make([]int, n)
			for i := range index {
				index[i] = ((i+by)%n + n) % n
			}
			b.Add(name+[]string{"_rows", "_columns"}[axis], &nn.Gather{Axis: axis, Indices: index, Dims: []int{n}})
		}
	}
}

// windows cuts [height, width, c] into windows [·, window², c], applies a part to
// them and puts them together again.
func (b *swin) windows(name string, part func()) {
	h, w, c, s := b.Last()[0], b.Last()[1], b.Last()[2], b.o.Window
	swap := &nn.Transpose{Perm: []int{0, 2, 1, 3, 4}}
	b.Add(name+".cut", &nn.Reshape{To: []int{h / s, s, w / s, s, c}})
	b.Add(name+".windows", swap)
	b.Add(name+".patches", &nn.Reshape{To: []int{h / s * (w / s), s * s, c}})
	part()
	b.Add(name+".uncut", &nn.Reshape{To: []int{h / s, w / s, s, s, c}})
	b.Add(name+".unwindows", swap)
	b.Add(name+".whole", &nn.Reshape{To: []int{h, w, c}})
}

// windowAttention maps windows [n, patches, c] of an image of h × w patches.
func (b *swin) windowAttention(name string, heads, c, h, w int, shift [2]int) {
	n, patches, depth := b.Last()[0], b.Last()[1], c/heads
	b.Dense(name+".qkv", 3*c, true)
	b.Add(name+".heads", &nn.Reshape{To: []int{n, patches, 3, heads, depth}})
	all := b.Join(name+".split", &nn.Transpose{Perm: []int{2, 0, 3, 1, 4}}, b.Graph.Output)
	one := func(i int, what string) string {
		return b.Join(name+what, &nn.Gather{Axis: 0, Indices: []int{i}}, all)
	}
	q, k, v := one(0, ".q"), one(1, ".k"), one(2, ".v")
	scale := &nn.Param{Name: name + ".scale", Data: []float32{float32(1 / math.Sqrt(float64(depth)))}}
	q = b.Join(name+".scaled", &nn.Binary{Operator: "Mul", Constant: scale}, q)
	logits := b.Join(name+".logits", &nn.MatMul{TransB: true}, q, k)
	b.Join(name+".biased", &nn.Binary{Operator: "Add"}, logits, b.positions(name, heads))
	if shift != [2]int{} {
		b.Add(name+".masked", &nn.Binary{Operator: "Add", Constant: b.mask(name+".mask", h, w, shift)})
	}
	weights := b.Join(name+".softmax", &nn.Softmax{}, b.Graph.Output)
	b.Join(name+".mix", &nn.MatMul{}, weights, v)
	b.Add(name+".unheads", &nn.Transpose{Perm: []int{0, 2, 1, 3}})
	b.Add(name+".rows", &nn.Reshape{To: []int{n, patches, c}})
	b.Dense(name+".proj", c, true)
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
	b.Join(name+".table", &nn.Constant{Value: nn.NewParam(table, (2*s-1)*(2*s-1), heads), Learned: true})
	b.Add(name+".lookup", &nn.Gather{Axis: 0, Indices: index, Dims: []int{s * s, s * s}})
	b.Add(name+".positions", &nn.Transpose{Perm: []int{2, 0, 1}})
	return b.Graph.Output
}

// mask returns what is added to the logits, [windows, 1, patches, patches]: 0 for
// patches that were neighbours before the shift, else swinMask.
func (b *swin) mask(name string, h, w int, shift [2]int) *nn.Param {
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
	p := nn.NewParam(name, h/s*(w/s), 1, s*s, s*s)
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
