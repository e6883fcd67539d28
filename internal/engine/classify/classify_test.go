package classify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// guesses fits l and returns what it guesses of other rows.
func guesses(t testing.TB, l Learner, x []float32, d int, targets []Target, other []float32) [][]float32 {
	t.Helper()
	f := must.Get(l.Fit(context.Background(), NewTable(x, d).All(), targets, 1))(t, l.Name())
	dst := make([][]float32, len(targets))
	for k, target := range targets {
		dst[k] = make([]float32, len(other)/d*target.Width())
	}
	must.Do(t, f.Predict(context.Background(), dst, NewTable(other, d).All()), l.Name())
	return dst
}

func right(scores []float32, labels []int) float64 {
	return Accuracy(Guesses(scores, len(scores)/len(labels)), labels).Value
}

// gaussians returns rows about one of three corners of a triangle, in the first two of
// d columns, and the class that Bayes' rule guesses: the nearest corner.
func gaussians(n, d int, seed uint64) (x []float32, t Target, bayes []int) {
	r := rand.New(rand.NewPCG(seed, 2))
	corners := [3][2]float64{{0, 0}, {2, 0}, {0, 2}}
	x, t = make([]float32, n*d), Target{Labels: make([]int, n), Classes: 3}
	bayes = make([]int, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		t.Labels[i] = r.IntN(3)
		row[0] += float32(corners[t.Labels[i]][0])
		row[1] += float32(corners[t.Labels[i]][1])
		nearest := math.Inf(1)
		for c, at := range corners {
			if far := math.Hypot(float64(row[0])-at[0], float64(row[1])-at[1]); far < nearest {
				nearest, bayes[i] = far, c
			}
		}
	}
	return x, t, bayes
}

func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// TestNearBayes wants accuracies near that of Bayes' rule on the same rows. A rule that
// differs from Bayes' on a share ε of rows loses on average less than ε/2 here, with a
// standard deviation of √(ε/n); at ε = .05 of 4000 rows five of these are .018.
func TestNearBayes(t *testing.T) {
	const d = 4
	x, target, _ := gaussians(2000, d, 1)
	other, truth, bayes := gaussians(4000, d, 2)
	best := Accuracy(bayes, truth.Labels).Value
	// Where the corners are 2 and 2√2 apart Bayes' rule is right at .77.
	if math.Abs(best-.77) > .03 {
		t.Fatalf("Bayes' rule is right at %v", best)
	}
	for _, l := range Learners() {
		if _, codes := l.(Lookup); codes || !l.Suits(target) { // these values have an order, and none repeats
			continue
		}
		got := right(guesses(t, l, x, d, []Target{target}, other)[0], truth.Labels)
		t.Logf("%s: %.4f of %.4f", l.Name(), got, best)
		if got < best-.045 || got > best+.018 {
			t.Errorf("%s is right at %v where Bayes' rule is at %v", l.Name(), got, best)
		}
	}
}

// ring labels rows by their distance from the middle: nothing to a linear rule.
func ring(n int, seed uint64) ([]float32, []Target) {
	r := rand.New(rand.NewPCG(seed, 3))
	x := make([]float32, 2*n)
	targets := []Target{{Labels: make([]int, n), Classes: 2}, {Values: make([]float64, n)}}
	for i := range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		x[2*i], x[2*i+1] = float32(a), float32(b)
		far := a*a + b*b
		targets[1].Values[i] = 100 + 10*far
		if far > 2*math.Ln2 { // its median
			targets[0].Labels[i] = 1
		}
	}
	return x, targets
}

// TestRing wants what is plain to see, but not to linear rules, to be found.
func TestRing(t *testing.T) {
	x, targets := ring(2000, 1)
	other, truth := ring(2000, 2)
	for _, l := range []Learner{Network{}, Trees{}} {
		got := guesses(t, l, x, 2, targets, other)
		a, r2 := right(got[0], truth[0].Labels), explained(got[1], truth[1].Values)
		t.Logf("%s: accuracy %.3f, R² %.3f", l.Name(), a, r2)
		if a < .93 || r2 < .85 {
			t.Errorf("%s: accuracy %v, R² %v", l.Name(), a, r2)
		}
	}
}

func explained(got []float32, want []float64) float64 {
	s := standardOf(want)
	var squares float64
	for i, g := range got {
		squares += (float64(g) - want[i]) * (float64(g) - want[i])
	}
	return 1 - squares/float64(len(want))/(s.deviation*s.deviation)
}

// TestNoise wants learners to keep to the majority, .65 of rows, where there is nothing
// to learn: over 12 samples of 400 rows the mean accuracy on others has a standard
// error below .003 beside what overfitting costs, which may be .06; 4.5 of them are allowed for.
func TestNoise(t *testing.T) {
	shared.Long(t, "attacks on labels that are pure chance, over 12 samples")
	const n, d, samples = 400, 10, 12
	r := rand.New(rand.NewPCG(4, 4))
	mean := map[string]float64{}
	for range samples {
		x, labels := make([]float32, 2*n*d), make([]int, 2*n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for i := range labels {
			labels[i] = int(indicator(r.Float64() < .35))
		}
		target := Target{Labels: labels[:n], Classes: 2}
		for _, l := range Learners() {
			got := guesses(t, l, x[:n*d], d, []Target{target}, x[n*d:])
			mean[l.Name()] += right(got[0], labels[n:]) / samples
		}
	}
	for name, a := range mean {
		t.Logf("%s: %.3f", name, a)
		if a < .65-.06-.031 || a > .65+.031 {
			t.Errorf("%s: accuracy %v where .65 is the majority", name, a)
		}
	}
}

// TestTogether wants the same guesses from any number of cores, with and without targets and
// rows beside, and from goroutines that guess at once. A nil dst is left out.
func TestTogether(t *testing.T) {
	shared.Long(t, "the same guesses from any number of cores and goroutines")
	const n, d = 1200, 10
	x, targets := outputs(n, 6)
	targets = append(twoClasses(targets[:1]), targets[0], Target{Values: make([]float64, n)})
	for i := range n {
		targets[2].Values[i] = float64(x[i*d]) * float64(i%7)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, l := range Learners() {
		ts := targets
		if !l.Suits(ts[1]) {
			ts = ts[:1]
		}
		runtime.GOMAXPROCS(1)
		want := guesses(t, l, x, d, ts, x)
		runtime.GOMAXPROCS(3)
		if !slices.Equal(guesses(t, l, x, d, ts[:1], x)[0], want[0]) {
			t.Errorf("%s: target 0 has other guesses with targets beside it", l.Name())
		}
		rows := [2]*Table{NewTable(x, d), NewTable(x, d)} // that of the fit, and another one
		f := must.Get(l.Fit(context.Background(), rows[0].All(), ts, 1))(t)
		var wait sync.WaitGroup
		for part := range 4 {
			wait.Go(func() {
				lo, hi := part*n/5, (part+2)*n/5
				dst := make([][]float32, len(ts))
				for k := range ts {
					if k == 0 || part > 0 {
						dst[k] = make([]float32, (hi-lo)*ts[k].Width())
					}
				}
				if err := f.Predict(context.Background(), dst, rows[part%2].Rows(nn.Indices(hi)[lo:])); err != nil {
					t.Error(err)
				}
				for k, got := range dst {
					if w := ts[k].Width(); got != nil && !slices.Equal(got, want[k][lo*w:hi*w]) {
						t.Errorf("%s: target %d, part %d: other guesses than of all rows on one core", l.Name(), k, part)
					}
				}
			})
		}
		wait.Wait()
	}
}

func TestRefusals(t *testing.T) {
	x := []float32{1, 2, 3, 4}
	labels := Target{Labels: []int{0, 1}, Classes: 2}
	for _, l := range Learners() {
		for want, fit := range map[string]func() (Fitted, error){
			"no rows": func() (Fitted, error) { return l.Fit(context.Background(), NewTable(nil, 2).All(), nil, 0) },
			"row 1, column 0 is NaN": func() (Fitted, error) {
				return l.Fit(context.Background(), NewTable([]float32{1, 2, float32(math.NaN()), 4}, 2).All(), []Target{labels}, 0)
			},
			"row 1 has label 2": func() (Fitted, error) {
				return l.Fit(context.Background(), NewTable(x, 2).All(), []Target{{Labels: []int{0, 2}, Classes: 2}}, 0)
			},
			"the value of row 0": func() (Fitted, error) {
				return l.Fit(context.Background(), NewTable(x, 2).All(), []Target{{Values: []float64{math.Inf(1), 2}}}, 0)
			},
		} {
			must.Fail(t, must.Err(fit()), want)
		}
		huge := Target{Values: []float64{1e300, 0}}
		if _, err := l.Fit(context.Background(), NewTable(x, 2).All(), []Target{huge}, 0); err == nil {
			t.Errorf("%s learns numbers that no guess can be", l.Name())
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := l.Fit(ctx, NewTable(x, 2).All(), []Target{labels}, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of an ended context", l.Name(), err)
		}
	}
	must.Fail(t, must.Err((Threshold{}).Fit(context.Background(), NewTable(x, 2).All(), []Target{{Labels: []int{0, 1}, Classes: 3}}, 0))) // a threshold for three classes
	must.Fail(t, must.Err(ByName("oracle")), "network, threshold, logistic")
}
