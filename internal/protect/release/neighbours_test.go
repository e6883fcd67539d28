package release

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/must"
)

// vectorsOf returns random vectors [n, width].
func vectorsOf(n, width int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n*width)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// scored returns the mean score of each query for outputs in their place.
func scored(t *testing.T, task *Neighbours, outputs []float32, width int) []float64 {
	t.Helper()
	s := task.Scorer(len(outputs)/width, width)
	must.Do(t, s.Add(0, outputs[:width])) // in two batches
	must.Do(t, s.Add(1, outputs[width:]))
	return s.Scores()
}

// nearestSlowly returns the k nearest other vectors, by distances in float64.
func nearestSlowly(query, database []float32, width, own, k int, cosine bool) []int {
	n := len(database) / width
	far := make([]float64, n)
	for j := range n {
		var dot, a, b float64
		for d := range width {
			x, y := float64(query[d]), float64(database[j*width+d])
			dot, a, b = dot+x*y, a+x*x, b+y*y
		}
		if far[j] = a + b - 2*dot; cosine {
			far[j] = -dot / math.Sqrt(a*b)
		}
	}
	order := make([]int, 0, n)
	for j := range n {
		if j != own {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		if far[i] < far[j] {
			return -1
		}
		return 1
	})
	return order[:k]
}

// The recall is that of lists that are sorted slowly, for both metrics and with noise on either side.
func TestRecall(t *testing.T) {
	const n, width, k = 60, 5, 4
	clean, noisy, base := vectorsOf(n, width, 1), vectorsOf(n, width, 2), vectorsOf(n, width, 3)
	for i := range clean {
		noisy[i], base[i] = clean[i]+.4*noisy[i], clean[i]+.2*base[i]
	}
	for _, metric := range []string{MetricCosine, MetricEuclidean} {
		task := must.Get(NewNeighbours(t.Context(), Use{Task: "recall@4", Metric: metric}, Database{Vectors: clean, Width: width}))(t)
		for i, x := range scored(t, task, clean, width) {
			if x != 1 {
				t.Errorf("%s: vector %d without noise finds %v of its neighbours", metric, i, x)
			}
		}
		for name, database := range map[string][]float32{"clean": clean, "noisy": base} {
			of := must.Get(task.With(t.Context(), database))(t)
			for i, got := range scored(t, of, noisy, width) {
				row := func(x []float32) []float32 { return x[i*width : (i+1)*width] }
				truth, found := nearestSlowly(row(clean), clean, width, i, k, metric == MetricCosine), 0.
				for _, j := range nearestSlowly(row(noisy), database, width, i, k, metric == MetricCosine) {
					if slices.Contains(truth, j) {
						found++
					}
				}
				if got != found/k {
					t.Errorf("%s, %s database: vector %d scores %v, want %v", metric, name, i, got, found/k)
				}
			}
		}
	}
}

// Another view is found among views, and a class by the votes of its neighbours.
func TestViewsAndTargets(t *testing.T) {
	clean := []float32{1, 0, .9, .1, 0, 1, .1, .9}
	views := must.Get(NewNeighbours(t.Context(), Use{Task: "recall@1"}, Database{Vectors: clean, Width: 2, Views: true}))(t)
	if got := scored(t, views, []float32{2, .01, 1, .02, 0, 3, .01, 4}, 2); !slices.Equal(got, []float64{1, 0, 1, 0}) {
		t.Errorf("views score %v", got)
	}
	target := must.Get(NewNeighbours(t.Context(), Use{Task: "target@1"}, Database{Vectors: clean, Width: 2, Labels: []int{3, 3, 5, 3}}))(t)
	if got := scored(t, target, clean, 2); !slices.Equal(got, []float64{1, 1, 0, 0}) {
		t.Errorf("targets score %v", got)
	}
	two := must.Get(NewNeighbours(t.Context(), Use{Task: "target@2"}, Database{Vectors: []float32{1, 0, 1, .1, 1, .3, 0, 1}, Width: 2, Labels: []int{3, 3, 5, 5}}))(t)
	if got := scored(t, two, []float32{1, 0, 1, .1, 1, .3, 0, 1}, 2); !slices.Equal(got, []float64{1, 1, 0, 1}) {
		t.Errorf("two classes have one vote each, so the nearest vector decides; got %v", got) // the last vector is nearest to the third
	}
	view := must.Get(NewNeighbours(t.Context(), Use{Task: "verification@50%"}, Database{Vectors: []float32{1, 0, 0, 1, -1, 0, 0, -1, 1, 1}, Width: 2, Views: true}))(t)
	if got := scored(t, view, []float32{1, .1, .1, 1, 1, 0, .1, -1, 1, 1.1}, 2); view.Pairs() != 20 || !slices.Equal(got, []float64{1, 1, 0, 1, 1}) {
		t.Errorf("views are accepted: %v, of %d pairs", got, view.Pairs())
	}
	must.Fail(t, must.Err(NewNeighbours(t.Context(), Use{Task: "verification@49%"}, view.of)), "a share of 49 % of 20 pairs")
}

// A probe finds a class that lies to one side of a plane, and learns nothing of a person from that person's other vectors.
func TestProbe(t *testing.T) {
	const people = 40
	r := rand.New(rand.NewPCG(5, 5))
	of := Database{Width: people}
	for row := range 2 * people {
		x := make([]float32, people) // both vectors of a person are one axis of its own
		x[row/2] = 1
		of.Vectors, of.People, of.Labels = append(of.Vectors, x...), append(of.People, row/2), append(of.Labels, row/2%2)
	}
	mean := func(x []float64) float64 { return simd.Sum(x) / float64(len(x)) }
	task := must.Get(NewNeighbours(t.Context(), Use{Task: "probe", Metric: MetricEuclidean}, of))(t)
	if got := mean(scored(t, task, of.Vectors, people)); got > .7 {
		t.Errorf("the probe knows %v of classes that only a person's own vectors tell", got)
	}
	for i := range of.Vectors {
		of.Vectors[i] = float32(r.NormFloat64())
	}
	for row, y := range of.Labels {
		of.Vectors[row*people] = float32(20*y - 10)
	}
	task = must.Get(NewNeighbours(t.Context(), Use{Task: "probe"}, of))(t)
	if got := mean(scored(t, task, of.Vectors, people)); got < .9 {
		t.Errorf("the probe finds %v of classes on two sides of a plane", got)
	}
	turned := slices.Clone(of.Vectors)
	for row := range of.Labels {
		turned[row*people] *= -1
	}
	if got := mean(scored(t, must.Get(task.With(t.Context(), turned))(t), of.Vectors, people)); got > .1 {
		t.Errorf("fitted to a database with the two sides exchanged, the probe finds %v", got)
	}
	of.People = make([]int, 2*people)
	if _, err := NewNeighbours(t.Context(), Use{Task: "probe"}, of); err == nil || !strings.Contains(err.Error(), "of one person") {
		t.Errorf("one person alone: %v", err)
	}
}

// Verification accepts no more pairs of different people than it is allowed, and the pairs of one person that are nearer.
func TestVerification(t *testing.T) {
	const people, width = 40, 6
	r := rand.New(rand.NewPCG(4, 4))
	var x []float32
	var of []int
	for p := range people {
		center := vectorsOf(1, width, uint64(100+p))
		for range 2 + p%2 {
			for _, c := range center {
				x = append(x, c+float32(.7*r.NormFloat64()))
			}
			of = append(of, 1000-p)
		}
	}
	x, of = append(x, vectorsOf(1, width, 7)...), append(of, 1) // who has one vector alone asks nothing
	for _, metric := range []string{MetricCosine, MetricEuclidean} {
		task := must.Get(NewNeighbours(t.Context(), Use{Task: "verification@10%", Metric: metric}, Database{Vectors: x, Width: width, People: of}))(t)
		if len(task.Queries()) != len(of)-1 {
			t.Fatalf("%d of %d vectors ask", len(task.Queries()), len(of))
		}
		var near, other []float64
		close := func(i, j int) float64 {
			var dot, a, b float64
			for d := range width {
				u, v := float64(x[i*width+d]), float64(x[j*width+d])
				dot, a, b = dot+u*v, a+u*u, b+v*v
			}
			if metric == MetricEuclidean {
				return 2*dot - a - b
			}
			return dot / math.Sqrt(a*b)
		}
		for _, i := range task.Queries() {
			for j := range of {
				if j != i && of[j] != of[i] {
					other = append(other, close(i, j))
				}
			}
		}
		slices.Sort(other)
		threshold := other[len(other)-1-len(other)/10]
		for _, i := range task.Queries() {
			share, all := 0., 0.
			for j := range of {
				if j != i && of[j] == of[i] {
					if all++; close(i, j) > threshold+1e-6 {
						share++
					}
				}
			}
			near = append(near, share/all)
		}
		if got := scored(t, task, x[:len(x)-width], width); !slices.Equal(got, near) {
			t.Errorf("%s: scores %v\nwant   %v", metric, got, near)
		}
	}
}

// Of four pairs of different people a quarter is accepted: those nearer than the second.
func TestThreshold(t *testing.T) {
	task := &Neighbours{task: taskVerification, accepts: .25, wanted: [][]int32{{1, 2}, {0}, {0}}}
	s := &neighbourScorer{scoreSums: newScoreSums(3), task: task, genuine: []pairOf{{0, 3}, {0, 3.5}, {1, 2.5}, {2, 4.5}}, impostors: []float32{4, 1, 3, 2}}
	copy(s.draws, []int{1, 1, 1})
	if got := s.Scores(); !slices.Equal(got, []float64{.5, 0, 1}) {
		t.Errorf("scores %v", got)
	}
}

// The words about a use name its task, its metric and where noise is added.
func TestUseWords(t *testing.T) {
	for _, c := range []struct {
		use          Use
		words, noisy string
		byTarget     bool
	}{
		{Use{Task: "recall@10"}, "recall@10", "the vectors nearest to a query, by cosine, with noise on the query", false},
		{Use{Task: "target@5", Metric: MetricEuclidean, Noise: NoiseDatabase}, "target by 5 neighbours", "the vectors nearest to a query, by Euclidean distance, with noise on the database", true},
		{Use{Task: "verification@0.1%", Views: ViewsMirror, Noise: NoiseBoth}, "true accepts at 0.1 % false", "another view of the same example, by cosine, with noise on both", false},
		{Use{Task: "probe"}, "target by a linear classifier", "logistic regression on vectors divided by their lengths, fitted to half of the people in the database, with noise on the query", true},
		{Use{Task: "probe", Metric: MetricEuclidean}, "target by a linear classifier", "logistic regression, fitted to half of the people in the database, with noise on the query", true},
	} {
		if c.use.Check() != nil || c.use.Words() != c.words || c.use.Noisy() != c.noisy || c.use.ByTarget() != c.byTarget {
			t.Errorf("%+v: %q, %q, by target: %t", c.use, c.use.Words(), c.use.Noisy(), c.use.ByTarget())
		}
	}
	for task, ok := range map[string]bool{"recall@1000": true, "recall@1001": false, "target@1": true, "verification@100%": false, "verification@0%": false, "probe@3": false} {
		if err := (Use{Task: task}).Check(); (err == nil) != ok {
			t.Errorf("%s: %v", task, err)
		}
	}
}

func TestNeighboursRefuse(t *testing.T) {
	zero := Database{Vectors: []float32{1, 2, 0, 0, 3, 4}, Width: 2}
	task := must.Get(NewNeighbours(t.Context(), Use{Task: "recall@1", Metric: MetricEuclidean}, zero))(t)
	for want, f := range map[string]func() error{
		"vector 1 (from 0) is zero or too long": func() error { _, err := NewNeighbours(t.Context(), Use{Task: "recall@1"}, zero); return err },
		"has not so many others": func() error {
			_, err := NewNeighbours(t.Context(), Use{Task: "recall@3", Metric: MetricEuclidean}, zero)
			return err
		},
		"no vector has another one of the same person": func() error {
			_, err := NewNeighbours(t.Context(), Use{Task: "verification", Metric: MetricEuclidean}, zero)
			return err
		},
		"give recall@10":                      func() error { return Use{Task: "accuracy"}.Check() },
		"neighbours from 1 to":                func() error { return Use{Task: "recall@0"}.Check() },
		"a share of false accepts":            func() error { return Use{Task: "verification@200%"}.Check() },
		"give one of cosine":                  func() error { return Use{Task: "recall", Metric: "manhattan"}.Check() },
		"example 2: its vector is not finite": func() error { return task.Scorer(3, 2).Add(1, []float32{1, 1, 1, float32(math.NaN())}) },
		"vector 2 (from 0) is zero": func() error {
			cosine := must.Get(NewNeighbours(t.Context(), Use{Task: "recall@1"}, Database{Vectors: []float32{1, 2, 2, 1, 3, 4}, Width: 2}))(t)
			return cosine.Scorer(3, 2).Add(1, []float32{1, 1, 0, 0})
		},
		"the database has vectors of 2": func() error { return task.Scorer(3, 3).Add(0, []float32{1, 2, 3}) },
	} {
		must.Fail(t, f(), want)
	}
}

// An offset changes no distance, ties are neighbours, and a target is not found by the vectors of the same person.
func TestNeighboursAsTheyAre(t *testing.T) {
	const n, width = 60, 5
	clean, noisy := vectorsOf(n, width, 1), vectorsOf(n, width, 2)
	far, farNoisy := make([]float32, n*width), make([]float32, n*width)
	for i := range clean {
		clean[i] = float32(math.Round(float64(64*clean[i]))) / 64 // so that the offset is exact
		noisy[i] = clean[i] + float32(math.Round(float64(26*noisy[i])))/64
		far[i], farNoisy[i] = clean[i]+1024, noisy[i]+1024
	}
	euclidean := Use{Task: "recall@4", Metric: MetricEuclidean}
	near := scored(t, must.Get(NewNeighbours(t.Context(), euclidean, Database{Vectors: clean, Width: width}))(t), noisy, width)
	if got := scored(t, must.Get(NewNeighbours(t.Context(), euclidean, Database{Vectors: far, Width: width}))(t), farNoisy, width); !slices.Equal(got, near) {
		t.Errorf("with an offset %v\nwithout %v", got, near)
	}
	equal := slices.Repeat([]float32{1, 2}, 9)
	if got := scored(t, must.Get(NewNeighbours(t.Context(), euclidean, Database{Vectors: equal, Width: 2}))(t), vectorsOf(9, 2, 3), 2); slices.Min(got) != 1 {
		t.Errorf("of equal vectors all are nearest: %v", got)
	}
	ties := must.Get(NewNeighbours(t.Context(), euclidean, Database{Vectors: equal, Width: 2}))(t)
	spread := slices.Clone(equal)
	for i := range spread {
		spread[i] += float32(i / 2)
	}
	if got := scored(t, must.Get(ties.With(t.Context(), spread))(t), slices.Repeat([]float32{20, 20}, 9), 2); slices.Min(got) != 1 {
		t.Errorf("of equal vectors any are nearest: %v", got)
	}
	people := must.Get(NewNeighbours(t.Context(), Use{Task: "target@1"}, Database{Vectors: []float32{1, 0, .9, .1, 0, 1, .1, .9}, Width: 2, Labels: []int{3, 3, 5, 5}, People: []int{1, 1, 2, 2}}))(t)
	if got := scored(t, people, []float32{1, 0, .9, .1, 0, 1, .1, .9}, 2); slices.Max(got) != 0 {
		t.Errorf("a target is found by the same person: %v", got)
	}
	must.Fail(t, must.Err(NewNeighbours(t.Context(), Use{Task: "verification@0.1%"}, Database{Vectors: clean, Width: width, Views: true})), "3540 pairs of different people is too few")
}

// Many vectors are looked up evenly.
func TestMostQueries(t *testing.T) {
	x := vectorsOf(mostQueries+700, 2, 5)
	task := must.Get(NewNeighbours(t.Context(), Use{Task: "recall@1", Metric: MetricEuclidean}, Database{Vectors: x, Width: 2}))(t)
	if q := task.Queries(); len(q) != mostQueries || q[0] != 0 || q[mostQueries-1] < mostQueries+600 || !slices.IsSorted(q) {
		t.Errorf("%d queries", len(q))
	}
	views := must.Get(NewNeighbours(t.Context(), Use{Task: "recall@1"}, Database{Vectors: x, Width: 2, Views: true}))(t)
	if q, last := views.Queries(), mostQueries-1; int(views.wanted[last][0]) != q[last] {
		t.Errorf("query %d should find view %d", q[last], views.wanted[last][0])
	}
	f := Features{Front: identity(2), Head: identity(2), Noise: Gaussian{1e-3}}
	out := must.Get(f.Outputs(context.Background(), nn.Rows{P: 2, X: x, Labels: make([]int, len(x)/2)}, 1))(t)
	if d := out[7] - x[7]; d == 0 || math.Abs(float64(d)) > .01 {
		t.Errorf("a release differs by %v", d)
	}
}
