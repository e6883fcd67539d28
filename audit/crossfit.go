package audit

import "context"

// guesses are what the attacks, fitted without the example, guess of one attribute.
// Of a numeric one value and bestValue are filled, else guess and best.
type guesses struct {
	attack    []attackName
	guess     [][]int     // [attack][example]
	value     [][]float64 // [attack][example]
	chosen    []int       // by fold: index of the attack chosen there
	best      []int       // [example], the chosen attack's
	bestValue []float64   // [example], the chosen attack's
	fold      []int       // [example], 0 … Folds−1
	folds     int
}

// crossFit guesses every attribute of every example by attacks that were fitted,
// and chosen, without it. An attribute that cannot be guessed, for want of a second
// class or of examples, has nil in its place.
func crossFit(ctx context.Context, s *Sample, o Options, progress func(done, total int)) ([]*guesses, error) {
	panic("to be written")
}
