package nn

// newWideReduce is Reduce in double words for Mean and Sum, and nil for the others.
func newWideReduce(op *Reduce, in []int) wideKernel {
	gone, err := op.reduced(in)
	if err != nil || op.Function != "Mean" && op.Function != "Sum" {
		return nil
	}
	steps := strides(in)
	kept, summed := []int{0}, []int{0}
	for a, n := range in {
		if gone[a] {
			summed = fanned(summed, n, steps[a])
		} else {
			kept = fanned(kept, n, steps[a])
		}
	}
	size, divisor := Size(in), 1.0
	if op.Function == "Mean" {
		divisor = float64(len(summed))
	}
	return newWideMean(len(summed), func(o int, visit func(at int)) float64 {
		from := o/len(kept)*size + kept[o%len(kept)]
		for _, s := range summed {
			visit(from + s)
		}
		return divisor
	})
}

// fanned returns the places that n steps from each of some lead to.
func fanned(places []int, n, step int) []int {
	out := make([]int, 0, len(places)*n)
	for _, p := range places {
		for i := range n {
			out = append(out, p+i*step)
		}
	}
	return out
}
