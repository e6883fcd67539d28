package bayes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// table is a list of features in memory.
type table struct {
	dim int
	a   []float64
}

func (t table) Len() int { return len(t.a) / t.dim }
func (t table) Dim() int { return t.dim }
func (t table) Features(_ context.Context, dst []float64, indices []int) error {
	for k, i := range indices {
		copy(dst[k*t.dim:(k+1)*t.dim], t.a[i*t.dim:(i+1)*t.dim])
	}
	return nil
}

func normal(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func noises(t *testing.T, sigma float64, n int) map[string]Density {
	t.Helper()
	out := map[string]Density{}
	for _, spec := range release.Families {
		if z, err := release.ParseNoise(spec, sigma, n); err == nil {
			if d, ok := z.(Density); ok {
				out[spec] = d
			}
		}
	}
	z := must.Get(release.NewTable([]float64{-3, -1, 0, 2, 4}, []float64{.1, .5, 1, .4, .05}, sigma))(t)
	out["table"] = z
	return out
}

// TestPosterior compares the pass over blocks with sums over all candidates.
func TestPosterior(t *testing.T) {
	shared.Long(t, "posteriors against sums over all candidates")
	const dim = 3
	list := table{dim, normal((blockCandidates+300)*dim, 1)}
	copy(list.a[7*dim:], list.a[5*dim:6*dim]) // candidates 5 and 7 have equal features
	for name, noise := range noises(t, .3, dim) {
		for _, queries := range []int{1, 3, 50} { // 50: all log-likelihoods are far below 0
			t.Run(name, func(t *testing.T) { posteriorIs(t, list, noise, Options{Draws: 40, Queries: queries, Seed: 3}) })
		}
	}
	people, o := grouped(1500, dim, 4) // more than a block of candidates
	o.Draws = 40
	posteriorIs(t, people, release.Gaussian{Sigma: .3}, o)
}

func posteriorIs(t *testing.T, list table, noise Density, o Options) {
	t.Helper()
	const classes = 4
	class, target := make([]int, list.Len()), make([]int, list.Len())
	for i := range class {
		class[i], target[i] = i*i%classes, i%3
	}
	got := must.Get(Run(context.Background(), list, noise, []Attribute{{Name: "s", Classes: classes, Class: class, Target: target}}, o))(t)
	noise, o.Queries = averaged(noise, o.Queries)
	d := must.Get(newDraws(context.Background(), list, noise, o))(t)
	for b := range o.Draws {
		want, infer := slow(list, noise, d, b, o, class, target, classes)
		have, in := got.Draws[b], got.Attributes[0][b]
		if have.Truth != d.truth[b] || have.Other < 0 || have.Other >= list.Len() || o.People != nil && have.Hit != want.Hit {
			t.Fatalf("draw %d: %+v, want %+v", b, have, want)
		}
		for _, pair := range [][2]float64{{have.Top, want.Top}, {have.Ten, want.Ten}, {have.Rank, want.Rank}, {have.Entropy, want.Entropy}, {have.Person, want.Person},
			{in.Score[1], infer.Score[1]}, {in.Best, infer.Best}, {in.Entropy, infer.Entropy}, {in.GivenBest, infer.GivenBest}, {in.GivenEntropy, infer.GivenEntropy}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*(1+pair[1]) {
				t.Errorf("draw %d: %+v and %+v, want %+v and %+v", b, have, in, want, infer)
				break
			}
		}
	}
}

// A shorter list is the first candidates, of which the true input is the last one unless it is among them anyway. Its posterior is
// compared with that of a list of these candidates alone; two lists end beside the end of a block.
func TestShorterLists(t *testing.T) {
	const count, dim = blockCandidates + 300, 2
	list := table{dim, normal(count*dim, 1)}
	noise := must.Get(release.NewGaussian(.3))(t)
	o := Options{Draws: 30, Queries: 2, Seed: 4, Among: []int{12, 1000, blockCandidates, blockCandidates + 1, count - 9}}
	got := must.Get(Run(t.Context(), list, noise, nil, o))(t)
	mean, queries := averaged(noise, o.Queries)
	o.Queries = queries
	d := must.Get(newDraws(t.Context(), list, mean, o))(t)
	for k, n := range o.Among {
		for b, truth := range slices.Clone(d.truth) {
			part := table{dim, slices.Clone(list.a[:n*dim])}
			if truth >= n {
				copy(part.a[(n-1)*dim:], list.a[truth*dim:][:dim])
				d.truth[b] = n - 1
			}
			want, _ := slow(part, mean, d, b, Options{}, make([]int, n), make([]int, n), 1)
			if d.truth[b] = truth; math.Abs(got.Among[k][b]-want.Top) > 1e-9 {
				t.Errorf("draw %d of %d, the true one %d: %v, want %v", b, n, truth, got.Among[k][b], want.Top)
			}
		}
	}
	for _, l := range got.IdentifiedAmong(.001) {
		if !(l.Low <= l.Mean && l.Mean <= l.High && l.High <= 1) {
			t.Errorf("limits %+v", l)
		}
	}
}

// slow computes the posterior of one draw from the definition.
func slow(list table, noise Density, d *drawn, b int, o Options, class, target []int, classes int) (Draw, Inference) {
	l := make([]float64, list.Len())
	for j := range l {
		for q := range d.queries {
			z := slices.Clone(d.release(b, q))
			for i := range z {
				z[i] -= list.a[j*list.dim+i]
			}
			l[j] += noise.LogDensity(z)
		}
		if o.Prior != nil {
			l[j] += math.Log(o.Prior[j])
		}
	}
	truth, of := d.truth[b], o.People
	if of == nil {
		of = nn.Indices(len(l))
	}
	var total float64
	p := make([]float64, len(l))
	for j := range p {
		p[j] = math.Exp(l[j] - l[truth])
		total += p[j]
	}
	out := Draw{Rank: .5}
	byClass, given, person := make([]float64, classes), make([]float64, classes), make([]float64, 1+slices.Max(of))
	for j := range p {
		if p[j] > 1+1e-9 {
			out.Rank++
		} else if p[j] > 1-1e-9 {
			out.Rank += .5
		}
		p[j] /= total
		person[of[j]] += p[j]
		byClass[class[j]] += p[j]
		if target[j] == target[truth] {
			given[class[j]] += p[j]
		}
	}
	in := Inference{Score: byClass}
	in.Best, in.Entropy = summarise(byClass)
	in.GivenBest, in.GivenEntropy = summarise(given)
	out.Entropy, out.Person = stat.EntropyBits(person), slices.Max(person)
	out.Hit = person[of[truth]] >= out.Person-1e-12
	slices.Sort(p)
	out.Top = p[len(p)-1]
	for _, v := range p[len(p)-most:] {
		out.Ten += v
	}
	return out, in
}

// squares are those of a difference of the truth and the other candidate of each draw.
func squares(r *Result, difference func(t, s int) float64) (out []float64) {
	for _, d := range r.Draws {
		out = append(out, difference(d.Truth, d.Other)*difference(d.Truth, d.Other))
	}
	return out
}

// TestTwoCandidates compares with closed forms: with two candidates at distance d·σ the truth is
// named with probability Φ(d/2), and the floor is ‖ε‖²·h(d), h = ¼e^(−d²/8)·E[sech(dZ/2)].
func TestTwoCandidates(t *testing.T) {
	const alpha = 1e-7
	for _, d := range []float64{0, 1, 4} {
		noise := must.Get(release.NewGaussian(2))(t)
		r := must.Get(Run(context.Background(), table{2, []float64{0, 1, 0, 1 + 2*d}}, noise, nil, Options{Draws: 20000, Seed: 1}))(t)
		named, _ := r.Identified(alpha)
		if want := math.Erfc(-d/2/math.Sqrt2) / 2; named.High < want || named.Low > want || named.Mean > want+.02 || named.Mean < want-.02 {
			t.Errorf("d = %v: named %+v, want %v", d, named, want)
		}
		wrong := math.Erfc(d/2/math.Sqrt2) / 2 // the rank is 2, or 1½ of equal ones
		if rank := r.Rank(alpha); rank.Low > 1+wrong || rank.Low < .96+wrong || rank.High < 1+wrong || rank.High > 1.02+wrong || math.Abs(rank.Mean-1-wrong) > .02 {
			t.Errorf("d = %v: rank %+v, want %v", d, rank, 1+wrong)
		}
		var h float64
		for z := -9.; z < 9; z += 1e-3 {
			h += 1e-3 * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / math.Cosh(d*z/2)
		}
		h *= math.Exp(-d*d/8) / 4
		floor := r.Floor(squares(r, func(t, s int) float64 { return float64(t - s) }), 1, alpha)
		if floor.Low > h || floor.High < h || floor.Mean < h*.8-.002 || floor.Mean > h*1.2+.002 {
			t.Errorf("d = %v: floor %+v, want %v", d, floor, h)
		}
		bits := r.Bits(alpha)
		if bits.High < bits.Mean || bits.Low > bits.Mean || bits.High > 1 {
			t.Errorf("d = %v: bits %+v", d, bits)
		}
	}
}

// Without noise one of the inputs with equal features is the truth, and the share that is done rises to 1.
func TestCertain(t *testing.T) {
	list, last := table{2, []float64{0, 1, 0, 1, 1e-300, 1}}, 0.
	o := Options{Draws: 3*blockDraws + 9, Progress: func(p float64) {
		if p < last || p > 1 {
			t.Errorf("%v is done after %v", p, last)
		}
		last = p
	}}
	for b, d := range must.Get(Run(t.Context(), list, Certain{}, nil, o))(t).Draws {
		if want := []float64{.5, .5, 1}[d.Truth]; math.Abs(d.Top-want) > 1e-12 {
			t.Errorf("draw %d of candidate %d: the likeliest one has the probability %v, want %v", b, d.Truth, d.Top, want)
		}
	}
	if last != 1 {
		t.Errorf("%v is done at the end", last)
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	noise, _ := release.NewGaussian(1)
	list := table{3, normal(3*1000, 4)}
	d := must.Get(newDraws(context.Background(), list, noise, Options{Draws: 4, Queries: 1}))(t)
	l := newProducts(&d.releases, 1)
	attributes := []Attribute{{Classes: 2, Class: make([]int, 1000), Target: make([]int, 1000)}}
	states := newStates(l, d, attributes, nil, nil)
	l.load(list.a, 1000)
	rows, work := make([]float64, 4*1000), make([]float64, 1000)
	l.rows(rows, 0, 4)
	if n := testing.AllocsPerRun(10, func() {
		copy(work, rows)
		states[0].add(work, 0, attributes, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	states[1].add(rows[1000:1000+d.truth[1]], 0, attributes, nil) // up to the true one, which is in the next block
	if states[1].equal != 0 {
		t.Errorf("%d candidates are as likely as the true one", states[1].equal)
	}
}

func TestRunErrors(t *testing.T) {
	noise, _ := release.NewGaussian(1)
	small, _ := release.NewGaussian(1e-9)
	laplace := must.Get(release.NewLaplace(1e-12))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	two := table{1, []float64{-1, 1}}
	run := func(list table, noise Density, o Options) error {
		return must.Err(Run(context.Background(), list, noise, nil, o))
	}
	for name, err := range map[string]error{
		"one candidate":  run(table{1, []float64{1}}, noise, Options{}),
		"not finite":     run(table{1, []float64{1, math.NaN()}}, noise, Options{}),
		"too large":      run(two, small, Options{}),
		"too large sums": run(two, laplace, Options{}),
		"half a prior":   run(two, noise, Options{Prior: []float64{.25, .25}}),
		"no chance":      run(two, noise, Options{Prior: []float64{0, 1}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := must.Err(Run(ctx, two, noise, nil, Options{})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// computed is a list whose features are computed when they are read. It keeps the largest number
// of candidates read at a time.
type computed struct {
	count, dim int
	largest    *int
}

func (c computed) Len() int { return c.count }
func (c computed) Dim() int { return c.dim }
func (c computed) Features(_ context.Context, dst []float64, indices []int) error {
	*c.largest = max(*c.largest, len(indices))
	for k, j := range indices {
		for i := range c.dim {
			dst[k*c.dim+i] = math.Sin(float64(j) * float64(i+1))
		}
	}
	return nil
}

// A list is read a block at a time: memory does not grow with its length.
func TestMemory(t *testing.T) {
	const dim = 64
	allocated := func(count int) float64 {
		largest := 0
		list := computed{count, dim, &largest}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		noise := release.Gaussian{Sigma: 3}
		must.Get(Run(context.Background(), list, noise, nil, Options{Draws: 32, Seed: 1}))(t)
		must.Get(BitsAbove(context.Background(), list, noise, 1))(t)
		runtime.ReadMemStats(&after)
		if largest > blockCandidates {
			t.Errorf("%d candidates are read at a time", largest)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	short, long := allocated(4*blockCandidates), allocated(32*blockCandidates)
	if whole := 8. * dim * 32 * blockCandidates; long > short+whole/20 {
		t.Errorf("8 times as many candidates take %.1f MB instead of %.1f MB; their features are %.1f MB", long/1e6, short/1e6, whole/1e6)
	}
	if blockOf(784) != blockCandidates || blockOf(1<<22) != 4 || blockOf(1<<30) != 1 {
		t.Errorf("blocks of %d, %d and %d candidates", blockOf(784), blockOf(1<<22), blockOf(1<<30))
	}
	if n, one := peopleOf(1<<10, 1<<4, 1<<10), peopleOf(1<<10, 1, 1<<20); n != 4 || one != 1 {
		t.Errorf("releases of %d and %d people", n, one)
	}
}

// counted counts how often the features of each candidate are computed.
type counted struct {
	table
	times map[int]int
}

func (c counted) Features(ctx context.Context, dst []float64, indices []int) error {
	for _, i := range indices {
		c.times[i]++
	}
	return c.table.Features(ctx, dst, indices)
}

// Features can be dear to compute: those of an input that many draws have are computed once.
func TestFeaturesOfDrawsOnce(t *testing.T) {
	c := counted{table{3, normal(15, 1)}, map[int]int{}}
	noise := must.Get(release.NewGaussian(1))(t)
	d := must.Get(newDraws(context.Background(), c, noise, Options{Draws: 40, Queries: 2, Seed: 1}))(t)
	for i, n := range c.times {
		if n != 1 {
			t.Errorf("the features of candidate %d are computed %d times", i, n)
		}
	}
	want := make([]float64, 3)
	for b, truth := range d.truth {
		must.Do(t, c.table.Features(context.Background(), want, []int{truth}))
		if !slices.Equal(d.features[b*3:b*3+3], want) {
			t.Fatalf("draw %d has the features of another input", b)
		}
	}
}

// Limits of several releases on a lattice are wider by what the noise of their mean may differ.
func TestRoundingOfMean(t *testing.T) {
	noise := must.Get(release.NewLattice(lattice.Lattice{Delta: .25, Sigma: .5, Clip: 16, Dim: 1}))(t)
	for queries, least := range map[int]float64{1: 0, 3: release.MeanError} {
		r := must.Get(Run(t.Context(), table{1, []float64{0, .25, 1}}, noise, nil, Options{Draws: 20, Queries: queries}))(t)
		if r.Rounding < least || r.Rounding >= least+release.MeanError {
			t.Errorf("%d releases: %v, want %v", queries, r.Rounding, least)
		}
	}
}

// TestPopulation holds the limits for adversaries without a list against a known Bayes
// error: X uniform on [0, 1], Y = X + σZ.
func TestPopulation(t *testing.T) {
	shared.Long(t, "limits without a list against a known Bayes error")
	const sigma, n, alpha = .3, 3000, 1e-6
	noise := must.Get(release.NewGaussian(sigma))(t)
	bayes := uniformBayes(sigma)
	best := 0.
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		x := make([]float64, n)
		for i := range x {
			x[i] = r.Float64()
		}
		res := must.Get(Run(context.Background(), table{1, x}, noise, nil, Options{Draws: 4000, Seed: seed}))(t)
		floor := res.Floor(squares(res, func(t, s int) float64 { return x[t] - x[s] }), 1, alpha)
		limit := Population{N: n, Alpha: alpha}.Floor(floor.Low, 1)
		if limit > bayes {
			t.Errorf("seed %d: the floor for every adversary is %v, above the Bayes error, %v", seed, limit, bayes)
		}
		best = max(best, limit)
	}
	if best < bayes/3 {
		t.Errorf("the best limit is %v of %v: too weak to be right", best, bayes)
	}
}

// uniformBayes is the mean-square error of E[X|Y] by quadrature.
func uniformBayes(sigma float64) (risk float64) {
	const dx, dy = 1e-3, 5e-3
	for y := -3.; y < 4; y += dy {
		var w, m, s float64
		for x := dx / 2; x < 1; x += dx {
			p := math.Exp(-(y-x)*(y-x)/2/sigma/sigma) / sigma / math.Sqrt(2*math.Pi) * dx
			w, m, s = w+p, m+p*x, s+p*x*x
		}
		if w > 0 {
			risk += (s - m*m/w) * dy
		}
	}
	return risk
}
