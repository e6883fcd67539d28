package nn

// A Source holds labelled examples.
type Source interface {
	// Len returns the number of examples.
	Len() int
	// Examples overwrites x, [len(indices), p], with the inputs of those examples.
	Examples(x []float32, indices []int)
	// Label returns the class of example i.
	Label(i int) int
}

// accuracyBatch is how many examples Accuracy evaluates at once.
const accuracyBatch = 256

// Accuracy returns the fraction of the data whose largest output of m, the first
// of equal ones, is at its label. It is NaN for no examples.
func Accuracy(m Model, data Source) float64 {
	p, n := m.Dims()
	x, y := make([]float32, accuracyBatch*p), make([]float32, accuracyBatch*n)
	indices := make([]int, accuracyBatch)
	right := 0
	for lo := 0; lo < data.Len(); lo += accuracyBatch {
		b := min(accuracyBatch, data.Len()-lo)
		for i := range b {
			indices[i] = lo + i
		}
		data.Examples(x[:b*p], indices[:b])
		m.Forward(y[:b*n], x[:b*p])
		for i := range b {
			if firstLargest(y[i*n:(i+1)*n]) == data.Label(lo+i) {
				right++
			}
		}
	}
	return float64(right) / float64(data.Len())
}

// firstLargest returns the first index of the largest entry.
func firstLargest(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
