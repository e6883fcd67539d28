package design

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/shape"
	"tattle/internal/shared"
)

// dense is an affine layer without a bias.
func dense(out, in int, w ...float32) *nn.Dense {
	return &nn.Dense{In: in, Out: out, Weight: &nn.Param{Name: "w", Shape: []int{out, in}, Data: w}}
}

// table is a set of rows x with labels.
func table(x [][]float32, y []int) *dataset.Set {
	set := &dataset.Set{Name: "table", Shape: []int{len(x[0])}, Y: y, YName: "class", YNames: []string{"0", "1"}}
	for _, row := range x {
		set.Values = append(set.Values, row...)
	}
	return set
}

// clusters are rows of p numbers around +1 and −1, by class.
func clusters(n, p int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := make([][]float32, n), make([]int, n)
	for i := range x {
		y[i] = i % 2
		for range p {
			x[i] = append(x[i], float32(2*y[i]-1)+float32(r.NormFloat64())/2)
		}
	}
	return table(x, y)
}

// model is a graph whose node "features" is a front of these operators, and whose head
// distinguishes classes by the sum of the features.
func model(in, features int, ops ...nn.Op) *nn.Graph {
	w := make([]float32, 2*features)
	for i := range features {
		w[i], w[features+i] = -1, 1
	}
	return shape.Join(shape.Chain("features", []int{in}, ops...), shape.Chain("logits", []int{features}, dense(2, features, w...)))
}

// peerOf returns a searcher with the cut at "features".
func peerOf(t *testing.T, g *nn.Graph, train *dataset.Set, o Options) (*searcher, *cut) {
	t.Helper()
	o.Nodes = []string{"features"}
	o.Candidates = cmp.Or(o.Candidates, train.Len())
	s := must.Get(newSearcher(g, train, train, o))(t)
	c := must.Get(s.cutAt(context.Background(), "features"))(t)
	return s, c
}

// TestPeerDFILLinear: where the Jacobian is the same everywhere, the noise is isotropic. The estimate
// of the trace is exact where JᵀJ is diagonal.
func TestPeerDFILLinear(t *testing.T) {
	ctx := context.Background()
	train := clusters(300, 2, 1)
	s, c := peerOf(t, model(2, 2, dense(2, 2, 2, 0, 0, 1)), train, Options{Limits: Limits{Identify: .1}, Seed: 3})
	points := must.Get(s.peer(ctx, c, place{Node: "features", Method: PeerDFIL}, 1))(t)
	if len(points) < 4 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		if want := 5 / 2. / p.Sigma / p.Sigma; math.Abs(p.Parameter-want) > 1e-6*want {
			t.Errorf("σ = %v: dFIL %v, want %v", p.Sigma, p.Parameter, want)
		}
		q := Point{Sigma: p.Sigma}
		must.Do(t, s.leaks(ctx, c.features, c.validate, &q, peerDraws, s.Seed, false))
		if math.Abs(p.Identified-q.Identified) > 1e-9 || math.Abs(p.Bits-q.Bits) > 1e-9 || math.Abs(p.Floor-q.Floor) > 1e-9 {
			t.Errorf("σ = %v: %+v, isotropic noise gives %+v", p.Sigma, p, q)
		}
	}
	ascends(t, points)
}

// ascends checks that points leak less and less and answer worse and worse, but for what draws do.
func ascends(t *testing.T, points []Point) {
	t.Helper()
	for i := range points[1:] {
		p, q := points[i], points[i+1]
		if q.Sigma <= p.Sigma || q.Identified > p.Identified+.02 || q.Bits > p.Bits+.1 || q.Floor < p.Floor-.02 || q.Accuracy[0] > p.Accuracy[0]+.08 {
			t.Errorf("%+v after %+v", q, p)
		}
	}
}

// TestPeerDFILScales: the features of x are x and 3·max(x, 0), so tr(JᵀJ) is 1 below zero and 10 above. dFIL is the
// same for both: σ(x)² = tr(JᵀJ)/dFIL.
func TestPeerDFILScales(t *testing.T) {
	ctx := context.Background()
	train := clusters(200, 1, 1)
	// (x, −x) by a dense layer, max(·, 0) of both, and (x⁺ − x⁻, 3x⁺) by a second one.
	g := model(1, 2, dense(2, 1, 1, -1), &nn.ReLU{}, dense(2, 2, 1, -1, 3, 0))
	s, c := peerOf(t, g, train, Options{Limits: Limits{Identify: .1}})
	l := &line{place: place{Node: "features", Method: PeerDFIL}, values: c.features, scale: 1, head: func(float64) (*nn.Graph, error) { return c.head, nil }}
	points := must.Get(s.dfil(ctx, c, l, 1))(t)
	for _, p := range points {
		for i, x := range train.Values {
			trace, sigma := 1., l.strength(p.Sigma, i)
			if x > 0 {
				trace = 10
			}
			if dfil := trace / sigma / sigma; math.Abs(dfil-p.Parameter) > 1e-5*dfil {
				t.Fatalf("σ = %v, x = %v: dFIL %v, want %v", p.Sigma, x, dfil, p.Parameter)
			}
		}
	}
	var square float64
	for _, v := range l.scales {
		square += v * v / float64(len(l.scales))
	}
	if math.Abs(square-1) > 1e-5 {
		t.Errorf("mean square of the scales %v, want 1", square)
	}
	ascends(t, points)
}

// TestPeerRounding: the feature of x is x, and the inputs are a grid. Rounding to a step puts
// those together that are between two neighbouring odd multiples of half a step.
func TestPeerRounding(t *testing.T) {
	const n = 600
	var x [][]float32
	var y []int
	for i := range n {
		x, y = append(x, []float32{float32(i) - (n-1)/2.}), append(y, i*2/n)
	}
	train := table(x, y)
	s, c := peerOf(t, model(1, 1, dense(1, 1, 1)), train, Options{Limits: Limits{Identify: .1}})
	ctx := context.Background()
	l := &line{place: place{Node: "features", Method: Rounding}, values: c.features, head: func(float64) (*nn.Graph, error) { return c.head, nil }}
	for _, step := range []float64{.5, 1, 10, 100, 1e6} {
		l.process = func(row []float32) { round(row, step) }
		p := must.Get(s.noiseless(ctx, c, l, Point{Parameter: step}))(t)
		size := map[float64]int{}
		for _, v := range train.Values {
			size[math.RoundToEven(float64(v)/step)]++
		}
		var bits float64
		for _, k := range size {
			bits += float64(k) / n * math.Log2(n/float64(k))
		}
		if want := float64(len(size)) / n; math.Abs(p.Identified-want) > 1e-12 || math.Abs(p.Bits-bits) > 1e-9 {
			t.Errorf("step %v: %+v, want %v identified and %v bits", step, p, want, bits)
		}
		// The floor is the variance within groups, of the examples to validate.
		all := map[float64][]float64{}
		for _, i := range c.validate {
			k := math.RoundToEven(float64(train.Values[i]) / step)
			all[k] = append(all[k], float64(train.Values[i]))
		}
		var variance float64
		for _, v := range all {
			var sum, square float64
			for _, x := range v {
				sum, square = sum+x, square+x*x
			}
			variance += (square - sum*sum/float64(len(v))) / float64(len(c.validate))
		}
		r := must.Get(s.partition(ctx, l, c.validate, nil))(t)
		if floor := r.Floor(s.within(r, c.validate), s.most, alpha/2); math.Abs(floor.Mean-variance) > 1e-9*(1+variance) {
			t.Errorf("step %v: floor %v, want %v", step, floor.Mean, variance)
		}
	}
}

// TestKeepLargest compares with a sort.
func TestKeepLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 40; n++ {
		for k := 1; k <= n; k++ {
			row := make([]float32, n)
			for i := range row {
				row[i] = float32(r.IntN(9) - 4) // with ties and zeros
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(row[j]*row[j], row[i]*row[i]) })
			want := make([]float32, n)
			for _, i := range order[:k] {
				want[i] = row[i]
			}
			given := slices.Clone(row)
			if keepLargest(row, k); !slices.Equal(row, want) {
				t.Fatalf("the %d largest of %v are %v, want %v", k, given, row, want)
			}
		}
	}
	for n := 1; n < 2000; n += 7 {
		all := counts(n)
		if all[0] != 1 || n > 1 && all[len(all)-1] >= n || !slices.IsSorted(all) || len(all) > mostCounts {
			t.Fatalf("%d features: %v", n, all)
		}
	}
}

// TestPeersAreNotChosen searches with all methods of others: none is the answer or the nearest,
// all make points, and the same seed gives the same points.
func TestPeersAreNotChosen(t *testing.T) {
	shared.Long(t, "searches beside peers")
	train, test := clusters(400, 3, 1), clusters(200, 3, 2)
	g := model(3, 3, dense(3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1))
	o := Options{Limits: Limits{Identify: .02}, Nodes: []string{"features"}, Methods: []Method{Isotropic, PeerDFIL, TopK, Rounding}, Seed: 5}
	search := func() *Answer {
		return must.Get(Search(context.Background(), g, train, test, o))(t)
	}
	a := search()
	if a.Best == nil || a.Best.Method != Isotropic || len(a.Left) > 0 {
		t.Fatalf("best %+v, left out %v", a.Best, a.Left)
	}
	count, meets := map[Method]int{}, 0
	for _, p := range a.Points {
		count[p.Method]++
		if p.Method.Peer() && p.Meets {
			meets++
		}
	}
	for _, m := range o.Methods {
		if count[m] < 2 {
			t.Errorf("%d points of %s", count[m], m)
		}
	}
	if meets == 0 {
		t.Error("no point of a peer meets the limits: nothing is tested")
	}
	if b := search(); !reflect.DeepEqual(a.Points, b.Points) {
		t.Error("the same seed gives other points")
	}
	o.Methods = []Method{TopK, Rounding}
	var wrong *measure.OptionError
	if _, err := Search(context.Background(), g, train, test, o); !errors.As(err, &wrong) {
		t.Errorf("peers alone: %v", err)
	}
}

// TestNoiselessTooMuch: so are those that change too many numbers.
func TestNoiselessTooMuch(t *testing.T) {
	s, c := peerOf(t, model(2, 2, dense(2, 2, 2, 0, 0, 1)), clusters(100, 2, 1), Options{Limits: Limits{Identify: .1}})
	s.candidates = make([]int, mostPeer/perNumber/mostPoints/c.n+1)
	for _, m := range []Method{TopK, Rounding} {
		if _, err := s.peer(context.Background(), c, place{Node: "features", Method: m}, 1); err == nil {
			t.Errorf("%s: no error", m)
		}
	}
}

// TestPeerTooMuch: peers that take long are left out with the reason, unless they are named.
func TestPeerTooMuch(t *testing.T) {
	train := clusters(100, 2, 1)
	g := model(2, 2, dense(2, 2, 2, 0, 0, 1))
	for _, methods := range [][]Method{nil, {Isotropic, PeerDFIL}} {
		s, c := peerOf(t, g, train, Options{Limits: Limits{Identify: .1}, Methods: methods})
		_, err := s.peer(context.Background(), c, place{Node: "features", Method: PeerDFIL}, mostPeer)
		if (err != nil) != (methods == nil) {
			t.Errorf("methods %v: %v", methods, err)
		}
	}
}
