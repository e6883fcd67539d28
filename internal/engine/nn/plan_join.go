package nn

import "slices"

// joinConvolutions has the convolutions of a program for inference add what is added
// to their output and rectify it, where nothing else reads the tensors in between and
// they can.
func joinConvolutions(p *program[float32]) {
	readers := p.readers()
	producer := make([]int, len(p.sizes)) // step that makes the tensor, as far as one looked, + 1
	gone := make([]bool, len(p.steps))
	for i := range p.steps {
		if j, ok := joins(p, i, producer, readers); ok {
			fuseSteps(p, i, j)
			gone[j] = true
		}
		producer[p.steps[i].out] = i + 1
	}
	kept := p.steps[:0]
	for i, s := range p.steps {
		if !gone[i] {
			kept = append(kept, s)
		}
	}
	p.steps = kept
}

// joins returns an earlier convolution that has agreed to do what step i does.
func joins(p *program[float32], i int, producer, readers []int) (j int, ok bool) {
	s := p.steps[i]
	b, sum := s.op.(*Binary)
	sum = sum && b.Operator == "Add" && len(s.in) == 2 && slices.Equal(s.shapes[0], s.shapes[1])
	if !sum && len(s.in) != 1 || sum && s.in[0] == s.in[1] {
		return 0, false
	}
	for _, t := range s.in {
		j := producer[t] - 1
		if j < 0 || readers[t] != 1 {
			continue
		}
		c, is := p.steps[j].kernel.(*conv[float32])
		if is && (sum && c.fuseAdd() || !sum && c.fuse(s.kernel)) {
			return j, true
		}
	}
	return 0, false
}

// fuseSteps makes step i the kernel of step j, with what is added as the last input.
func fuseSteps(p *program[float32], i, j int) {
	from, s := p.steps[j], p.steps[i]
	in := from.in
	if len(s.in) == 2 {
		in = append(append([]int(nil), in...), s.in[0]+s.in[1]-from.out)
	}
	p.sizes[from.out] = 0
	from.in, from.out, from.inPlace = in, s.out, false
	p.steps[i] = from
}
