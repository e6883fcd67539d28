package nn

// needs says whether the products of a kernel, in inference, read the inputs and the
// output of the forward pass. What none reads need not be kept.
func needs[T Float](s *step[T]) (x, y bool) {
	switch k := s.kernel.(type) {
	case *conv[T]:
		return false, k.rectifier != nil
	case *dense[T], *convTranspose[T], *batchNorm[T], *averagePool[T], *average[T], *maxPool[T]:
		return false, false
	case *rearrange[T], *concat[T], *constantTensor[T]:
		return false, false
	case *rectifier[T], *unary[T], *rowNorm[T], *matmul[T]:
		return true, false
	case *broadcast[T]:
		op, _ := s.op.(*Binary)
		switch {
		case op != nil && (op.Operator == "Add" || op.Operator == "Sub"):
			return false, false
		case op != nil && op.Operator == "Mul":
			return true, false
		}
	}
	return true, true
}

// keptTensors returns which tensors a linearisation keeps: in training all.
func (g *program[T]) keptTensors(train bool) []bool {
	kept := make([]bool, len(g.sizes))
	for i := range g.steps {
		s := &g.steps[i]
		x, y := needs(s)
		for _, t := range s.in {
			kept[t] = kept[t] || x || train
		}
		kept[s.out] = kept[s.out] || y || train
	}
	return kept
}

// keptAt is the place of a tensor that a linearisation keeps.
func keptAt(t int) int { return target - 1 - t }

// keptIn returns the tensor whose place that is, or −1.
func keptIn(place int) int {
	if place < target {
		return target - 1 - place
	}
	return -1
}

// forwardPlan plans a sweep from the input, at source unless it is kept, to the output, at
// target. Kept tensors, nil for none, have a place of their own. With inPlace, operators that can
// write over their input do, and where their output is kept or the target, the input lies there.
func (g *program[T]) forwardPlan(kept []bool, inPlace bool) *plan {
	p := &plan{place: make([]int, len(g.sizes))}
	last := g.lastReaders()
	keeps := func(t int) bool { return kept != nil && kept[t] }
	for t := range p.place {
		p.place[t] = unwanted
		if keeps(t) {
			p.place[t] = keptAt(t)
		}
	}
	if !keeps(0) {
		p.place[0] = source
	}
	p.place[g.output] = target
	over := func(i int) bool { // step i writes over its input
		s := g.steps[i]
		return inPlace && s.inPlace && len(s.in) == 1 && s.in[0] != 0 && !keeps(s.in[0]) && last[s.in[0]] == i
	}
	for i := len(g.steps) - 1; i >= 0; i-- {
		if s := g.steps[i]; p.place[s.out] <= target && over(i) {
			p.place[s.in[0]] = p.place[s.out]
		}
	}
	g.assign(p, last, over)
	return p
}
