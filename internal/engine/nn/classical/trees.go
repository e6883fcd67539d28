package classical

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// Mode is how a node of a tree compares an input with its value. The true branch is taken
// where the comparison holds.
type Mode uint8

// The modes of a node, in the order of ONNX's TreeEnsemble-5.
const (
	LessOrEqual Mode = iota
	Less
	GreaterOrEqual
	Greater
	Equal
	NotEqual
	Member // the input is one of the node's members
)

// Aggregate is how the weights of an output are combined over the trees.
type Aggregate uint8

// The ways to combine weights, in the order of ONNX's TreeEnsemble-5.
const (
	Average Aggregate = iota
	Sum
	Min
	Max
)

// A Branch is a node of a tree with two children. A child that is negative is the leaf with
// the index of its bits inverted, ^child.
type Branch struct {
	Value       float64
	Input       int32
	True, False int32
	Members     int32 // index of a list of members
	Mode        Mode
	MissingTrue bool // NaN takes the true branch, and else that of its comparison
}

// A Vote is a weight that a leaf gives to an output.
type Vote struct {
	Output int32
	Weight float64
}

// Trees is an ensemble of decision trees: each tree leads a row to a leaf, whose votes are
// combined with those of the other trees. An output without a vote is 0.
type Trees struct {
	Operator  string // of ONNX
	Outputs   int
	Aggregate Aggregate
	Base      []float64 // added to the outputs; nil for none
	Roots     []int32   // as children
	Branches  []Branch
	Leaves    [][]Vote
	Members   [][]float64 // lists of members
}

// Opaque returns the function of the trees, which are summed in their order, in float32 as ONNX
// Runtime does.
func (t *Trees) Opaque() *nn.Opaque {
	return &nn.Opaque{
		Operator: t.Operator, Width: t.width, Bound: t.bound,
		Row:   func(y, x []float64) { row(t, y, x) },
		Row32: func(y, x []float32) { row(t, y, x) },
	}
}

// width returns the number of outputs. It returns an error if the trees read an input
// beyond the row.
func (t *Trees) width(in int) (int, error) {
	for i := range t.Branches {
		if int(t.Branches[i].Input) >= in {
			return 0, fmt.Errorf("a tree reads input %d of rows of %d", t.Branches[i].Input, in)
		}
	}
	return t.Outputs, nil
}

// Check returns an error unless every index is in range and no branch leads back to itself.
func (t *Trees) Check() error {
	if t.Outputs < 1 || t.Base != nil && len(t.Base) != t.Outputs {
		return fmt.Errorf("%d base values for %d outputs", len(t.Base), t.Outputs)
	}
	if len(t.Roots) == 0 {
		return errors.New("there are no trees")
	}
	inRange := func(child int32) bool {
		return child >= 0 && int(child) < len(t.Branches) || child < 0 && int(^child) < len(t.Leaves)
	}
	for _, r := range t.Roots {
		if !inRange(r) {
			return fmt.Errorf("a root is node %d, which does not exist", r)
		}
	}
	for i, b := range t.Branches {
		switch {
		case !inRange(b.True) || !inRange(b.False):
			return fmt.Errorf("node %d has a branch to a node that does not exist", i)
		case b.Input < 0:
			return fmt.Errorf("node %d reads input %d", i, b.Input)
		case b.Mode > Member || b.Mode == Member && (b.Members < 0 || int(b.Members) >= len(t.Members)):
			return fmt.Errorf("node %d has an unknown mode", i)
		}
	}
	for _, votes := range t.Leaves {
		for _, v := range votes {
			if v.Output < 0 || int(v.Output) >= t.Outputs {
				return fmt.Errorf("a leaf votes for output %d of %d", v.Output, t.Outputs)
			}
			if v.Weight-v.Weight != 0 {
				return fmt.Errorf("a leaf has the weight %v", v.Weight)
			}
		}
	}
	return t.acyclic()
}

// acyclic returns an error if a branch leads back to itself. The search is depth first, with
// a stack of its own because trees of files have any depth.
func (t *Trees) acyclic() error {
	const fresh, open, done = 0, 1, 2
	state := make([]uint8, len(t.Branches))
	var stack []int32
	for start := range t.Branches {
		if state[start] != fresh {
			continue
		}
		stack = append(stack[:0], int32(start))
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			if state[i] != fresh {
				state[i] = done
				stack = stack[:len(stack)-1]
				continue
			}
			state[i] = open
			for _, child := range []int32{t.Branches[i].True, t.Branches[i].False} {
				switch {
				case child < 0 || state[child] == done:
				case state[child] == open:
					return fmt.Errorf("node %d leads back to itself", child)
				default:
					stack = append(stack, child)
				}
			}
		}
	}
	return nil
}

// row overwrites y with the outputs for the row x.
func row[T nn.Float](t *Trees, y, x []T) {
	start := T(0)
	switch t.Aggregate {
	case Min:
		start = T(math.Inf(1))
	case Max:
		start = T(math.Inf(-1))
	}
	for i := range y {
		y[i] = start
	}
	for _, at := range t.Roots {
		for at >= 0 {
			at = t.Branches[at].next(t, float64(x[t.Branches[at].Input]))
		}
		for _, v := range t.Leaves[^at] {
			w := T(v.Weight)
			switch t.Aggregate {
			case Min:
				y[v.Output] = min(y[v.Output], w)
			case Max:
				y[v.Output] = max(y[v.Output], w)
			default:
				y[v.Output] += w
			}
		}
	}
	for i := range y {
		if y[i] == start {
			y[i] = 0
		}
		if t.Aggregate == Average {
			y[i] /= T(len(t.Roots))
		}
		if t.Base != nil {
			y[i] += T(t.Base[i])
		}
	}
}

// next returns the branch that an input takes.
func (b *Branch) next(t *Trees, v float64) int32 {
	if b.holds(t, v) {
		return b.True
	}
	return b.False
}

// holds reports whether an input takes the true branch.
func (b *Branch) holds(t *Trees, v float64) bool {
	if b.MissingTrue && v != v {
		return true
	}
	switch b.Mode {
	case LessOrEqual:
		return v <= b.Value
	case Less:
		return v < b.Value
	case GreaterOrEqual:
		return v >= b.Value
	case Greater:
		return v > b.Value
	case Equal:
		return v == b.Value
	case NotEqual:
		return v != b.Value
	}
	_, ok := slices.BinarySearch(t.Members[b.Members], v)
	return ok
}

// sure reports whether all values within e of v take the same branch.
func (b *Branch) sure(t *Trees, v, e float64) bool {
	if e == 0 {
		return true
	}
	low, high := math.Nextafter(v-e, math.Inf(-1)), math.Nextafter(v+e, math.Inf(1))
	apart := func(w float64) bool { return w < low || w > high }
	switch b.Mode {
	case LessOrEqual, Less, GreaterOrEqual, Greater:
		return b.holds(t, low) == b.holds(t, high) && v == v
	case Equal, NotEqual:
		return apart(b.Value)
	}
	i, _ := slices.BinarySearch(t.Members[b.Members], low)
	return v == v && (i == len(t.Members[b.Members]) || apart(t.Members[b.Members][i]))
}

// bound allows for the rounding of the sums: n roundings of sums of numbers whose
// magnitudes add up to s are off by at most γₙ·s (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, section 4.2). Where the error of an input leaves open
// which branch is taken there is no bound.
func (t *Trees) bound(ey, _, x, ex []float64) {
	clear(ey)
	for _, at := range t.Roots {
		for at >= 0 {
			b := &t.Branches[at]
			if !b.sure(t, x[b.Input], ex[b.Input]) {
				fill(ey, math.Inf(1))
				return
			}
			at = b.next(t, x[b.Input])
		}
		for _, v := range t.Leaves[^at] {
			ey[v.Output] += math.Abs(v.Weight)
		}
	}
	for i := range ey {
		if t.Base != nil {
			ey[i] += math.Abs(t.Base[i])
		}
		ey[i] *= roundings(2*len(t.Roots)+t.mostVotes()+4) * (1 + 1e-9)
	}
}

// mostVotes returns the largest number of votes of a leaf.
func (t *Trees) mostVotes() (n int) {
	for _, l := range t.Leaves {
		n = max(n, len(l))
	}
	return n
}

// roundings returns more than γₙ, the relative error of n roundings of float64.
func roundings(n int) float64 {
	u := float64(n) * 0x1p-53
	return u / (1 - u) * (1 + 1e-9)
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}
