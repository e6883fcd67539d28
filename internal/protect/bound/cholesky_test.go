package bound

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// The factor applies the same pseudoinverse as the decomposition, on a Jacobian with fewer rows
// than columns and on one with more: the witnesses agree to float32's rounding times the condition
// of J, and what repeats make of it. Combined witnesses along singular directions prove the same.
func TestCholeskyAgreesWithDirect(t *testing.T) {
	shared.Long(t, "a factor against a decomposition")
	for _, features := range []int{30, 90} {
		_, data, e := small(t)
		m := smallNet(t, 24, 60, features)
		e.Barankin.Witnesses = 24
		for _, iteration := range []string{PaperIteration, InverseIteration} {
			e.Search.Iteration = iteration
			e.Search.Search = Direct
			direct := mustRun(t, m, data, upTo(4), e)
			e.Search.Search = Cholesky
			factored := mustRun(t, m, data, upTo(4), e)
			a, b := witnesses(t, factored, DefaultSize), witnesses(t, direct, DefaultSize)
			if median, most := distance(a, b, 24, .5), distance(a, b, 24, .99); median > 1e-4 || most > 1e-2 {
				t.Errorf("%d features, %s iteration: witnesses differ by %.2g (median), %.2g (99%%)", features, iteration, median, most)
			}
			for i, s := range factored.Summaries {
				if x, y := s.Quantile(.5), direct.Summaries[i].Quantile(.5); s.Method != direct.Summaries[i].Method || math.Abs(x/y-1) > .01 {
					t.Errorf("%d features: %s %g, by a decomposition %s %g", features, s.Method, x, direct.Summaries[i].Method, y)
				}
			}
			if found, err := Verify(t.Context(), m, data, factored.Experiment, Claims{factored.Path, factored.SHA256}, nil); err != nil || len(found) > 0 {
				t.Errorf("verification: %v, %v", found, err)
			}
			if x := factored.Experiment; !x.SkipCramerRao || x.Search.Search != Cholesky {
				t.Errorf("search %s, Cramér-Rao figures %t", x.Search.Search, !x.SkipCramerRao)
			}
		}
	}
}

// The smallest singular values of J come out, with vectors that J shrinks as much, and its null
// space does not: ten of 100 inputs have the effects of others, but for rounding.
func TestSmallestDirections(t *testing.T) {
	const p, n, count = 100, 300, 6
	m, data := smallNet(t, p, 250, n), noise(p, 1)
	w := m.Graph().Nodes[0].Params()[0].Data
	for i := 0; i < len(w); i += p { // the last ten inputs repeat, but for rounding, combinations of others
		for k := p - 10; k < p; k++ {
			w[i+k] = .3*w[i+k-10] + .7*w[i+k-20]
		}
	}
	g, err := gramianAt(t.Context(), m, data.X, nil, t.TempDir(), 0)
	if err != nil || !g.tall {
		t.Fatal(err)
	}
	got := must.Get(g.smallest(t.Context(), count, 1, 0))(t)
	want, err := factorsAt(t.Context(), m, data.X)
	if err != nil || want[0].Rank() != p-10 {
		t.Fatalf("rank %d, %v", want[0].Rank(), err)
	}
	for i, s := range got.S {
		if exact := want[0].S[want[0].Rank()-count+i]; math.Abs(s/exact-1) > 1e-3 {
			t.Errorf("singular value %d from the end is %g, exactly %g", count-i, s, exact)
		}
	}
}

// Rows of any size become orthonormal, and one in the span of others zero.
func TestOrthonormalRows(t *testing.T) {
	a, b := []float64{.6, .8, 0}, []float64{3e-21, .4, .5}
	for _, size := range []float64{1e-20, 1, 1e20} {
		y := make([]float64, 9)
		floats.ScaleTo(y[:3], size/3, a)
		floats.ScaleTo(y[3:6], size/7, a)
		floats.ScaleTo(y[6:], size, b)
		orthonormalRows(y, 3)
		if left := floats.Dot(y[:3], y[6:]); square(y[3:6]) != 0 || math.Abs(left) > 1e-15 || math.Abs(square(y[:3])-1) > 1e-15 || math.Abs(square(y[6:])-1) > 1e-15 {
			t.Errorf("rows of size %g become %v", size, y)
		}
	}
}

// An input that decides nothing has a Jacobian of zeros: the search proves nothing, and does not
// fail.
func TestCholeskyOfZeros(t *testing.T) {
	m, data, e := small(t)
	for _, p := range m.Graph().Nodes[2].Params() {
		for i := range p.Data {
			p.Data[i] = -1
		}
	}
	e.Search.Search = Cholesky
	e.Barankin.Witnesses = 2
	mustRun(t, m, data, upTo(2), e)
}

// A run that is interrupted while the factor is computed continues with the files there are, also
// with another memory, and gives the arrays of an uninterrupted one. No files are left.
func TestCholeskyResumes(t *testing.T) {
	shared.Long(t, "an interrupted factor")
	net, data := smallNet(t, 300, 350, 300), noise(300, 2)
	e := Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: Pixels(300), Memory: 1 << 30,
		Settings: Settings{SkipCramerRao: true, Search: SearchOptions{Search: Cholesky, Restarts: 2, Repeats: 2, Seed: 3}},
	}
	want, dir := mustRun(t, net, data, upTo(2), e), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	factors := func() []string {
		return must.Get(filepath.Glob(filepath.Join(dir, shardsDir, gramFolder+"000001", "factor-*")))(t)
	}
	interrupted := &counter{net, func(int) {
		if len(factors()) > 0 {
			cancel()
		}
	}}
	_, err := Run(ctx, interrupted, data, upTo(2), e, RunOptions{Dir: dir})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(factors()) == 0 {
		t.Fatal("no file is kept")
	}
	e.Memory = 24 << 20
	got := must.Get(Run(t.Context(), net, data, upTo(2), e, RunOptions{Dir: dir, Resume: true}))(t)
	if got.SHA256 != want.SHA256 {
		t.Error("other arrays")
	}
	if _, err := os.Stat(filepath.Join(dir, shardsDir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("files are left: %v", err)
	}
}

// Where memory does not allow the decomposition that is asked for, there is a factor.
func TestDirectBecomesCholesky(t *testing.T) {
	net, data := smallNet(t, 300, 700, 620), noise(300, 2)
	e := Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: Pixels(300), Memory: 16 << 20, Settings: Settings{Search: SearchOptions{Search: Direct, Restarts: 2, Repeats: 2}}}
	r := mustRun(t, net, data, upTo(1), e)
	if why := r.Experiment.Reasons[0]; r.Experiment.Search.Search != Cholesky || !strings.Contains(why, "more than half of the 16 MiB") {
		t.Errorf("%s: %s", r.Experiment.Search.Search, why)
	}
}

// Without a folder of a run, files are temporary: none is left, whether the search ends or not.
func TestCholeskyWithoutFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	m, data, e := small(t)
	e.Search.Search = Cholesky
	must.Get(Certify(t.Context(), m, data.X[:24], e))(t)
	looks := 40
	if _, err := Certify(late{t.Context(), &looks}, m, data.X[:24], e); !errors.Is(err, context.Canceled) {
		t.Errorf("not canceled: %v", err)
	}
	for _, dir := range []string{".", temporary} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
}

// blurred is a net whose float32 products with J are all so much off.
type blurred struct {
	*nn.Net
	by float32
}

func (m blurred) Linearize(x []float32) nn.Linearization[float32] {
	return off32{m.Net.Linearize(x), m.by}
}

type off32 struct {
	nn.Linearization[float32]
	by float32
}

func (l off32) JVP(dst, v []float32) {
	l.Linearization.JVP(dst, v)
	for i := range dst {
		dst[i] += l.by
	}
}

// Singular values are inverted from a millionth of the largest on, which is 8 here. With an error E of J it is at least
// ten times what that makes of zeros: ‖E‖(1/√p + 1/√rows), where ‖Ev‖ is b√n of products that are b off.
func TestLeastInverted(t *testing.T) {
	net := netOf(t, 4, weights(9, 4, append([]float32{8, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2}, make([]float32, 25)...)...))
	x := make([]float32, 4)
	for by, want := range map[float32]float64{0: 8e-6, .125: 10 * .125 * 3 * (1./2 + 1./5)} {
		m := blurred{net, by}
		if got := leastInverted(t.Context(), m, m.Linearize(x), x, 25); math.Abs(got/want-1) > .02 {
			t.Errorf("products %g off: singular values count from %g, want %g", by, got, want)
		}
	}
}
