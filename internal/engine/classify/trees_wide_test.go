package classify

import (
	"context"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// Trees find one column of a thousand that goes with a target, of two classes, of three and of numbers: too rare
// to be among the columns that are drawn for a tree from all.
func TestWideColumnFound(t *testing.T) {
	const n, d, at = 400, 1000, 37
	r := rand.New(rand.NewPCG(4, 5))
	x, two, three, values := make([]float32, n*d), make([]int, n), make([]int, n), make([]float64, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range n {
		two[i], three[i] = r.IntN(2), r.IntN(3)
		x[i*d+at] += 4 * float32(two[i])
		x[i*d+at+500] += 4 * float32(three[i])
		values[i] = float64(x[i*d+at+900])
	}
	const learned = n * 3 / 4
	f := must.Get(Trees{}.Fit(context.Background(), NewTable(x[:learned*d], d).All(), []Target{
		{Labels: two[:learned], Classes: 2}, {Labels: three[:learned], Classes: 3}, {Values: values[:learned]},
	}, 1))(t)
	const m = n - learned
	got := [][]float32{make([]float32, 2*m), make([]float32, 3*m), make([]float32, m)}
	must.Do(t, f.Predict(context.Background(), got, NewTable(x[learned*d:], d).All()))
	squares, left := 0., 0.
	for i, v := range values[learned:] {
		squares, left = squares+v*v, left+(v-float64(got[2][i]))*(v-float64(got[2][i]))
	}
	if a, b := Accuracy(Guesses(got[0], 2), two[learned:]).Value, Accuracy(Guesses(got[1], 3), three[learned:]).Value; a < .93 || b < .88 || left > .3*squares {
		t.Errorf("right %.2f of two classes, %.2f of three; %.2f of the variance is left", a, b, left/squares)
	}
}
