package classify

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

const (
	// treeRounds bounds the boosting; early stopping decides.
	treeRounds = 120
	// treeLeaves lets a tree join three columns; more leaves do no better on a few
	// thousand rows.
	treeLeaves = 8
	// treeRate shrinks each tree enough for a hundred of them to average.
	treeRate = .1
	// treePatience rounds without a better loss on the rows held out end the boosting.
	treePatience = 8
	// A fifth of the rows, at most treeHoldout, are held out: the standard error of a
	// loss over so many is a hundredth.
	treeHoldout = 2000
	// blindRounds are made where there are too few rows to hold some out.
	blindRounds = 10
	blindRows   = 25
	// treeColumns is how many columns, drawn for each tree, it may look at.
	treeColumns = 64
	// treeWide columns are drawn from as they are. Of more, trees look at the treeColumns that go best with the
	// target. Most others would carry nothing, and cutting them at quantiles takes most of the time.
	treeWide = 512
)

// Trees is gradient boosting with the softmax loss, or the squared one for numbers
// (Friedman, 2001), of trees with few leaves on columns in at most 64 bins, by Newton
// steps. A round adds a tree for each class, or one for two classes; targets share the
// bins. Sums are of integers, exact and so in any order. No library within reach trains
// trees.
type Trees struct{}

// Name returns "trees".
func (Trees) Name() string { return "trees" }

// Suits returns true.
func (Trees) Suits(Target) bool { return true }

// forest is a fitted Trees.
type forest struct {
	shape
	bins    *bins
	cut     []bool // [column], those that a tree cuts at
	targets []*boosted
}

// growth is a run of Trees.Fit.
type growth struct {
	*forest
	rows    Rows
	seed    uint64
	n, m    int       // rows; the trees learn from the first m
	order   []int     // of the rows
	codes   [][]uint8 // [column][row], nil of one that no tree has looked at
	jobs    []job
	growers sync.Pool
}

// job is one tree of a round.
type job struct {
	*boosted
	output  int
	columns []int // that it may look at
}

// Fit boosts until the loss on rows held out no longer falls, and keeps the best round.
func (l Trees) Fit(ctx context.Context, rows Rows, targets []Target, seed uint64) (Fitted, error) {
	s, err := check(l, rows, targets)
	if err != nil {
		return nil, err
	}
	g := newGrowth(rows, s, targets, seed)
	for round := range treeRounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !g.round(round) {
			break
		}
	}
	for _, b := range g.targets {
		b.finish()
		for _, t := range slices.Concat(b.rounds...) {
			for _, n := range t {
				if n.left != 0 {
					g.cut[n.column] = true
				}
			}
		}
	}
	return g.forest, nil
}

func newGrowth(rows Rows, s shape, targets []Target, seed uint64) *growth {
	f, n := &forest{shape: s, bins: rows.bins, cut: make([]bool, s.d)}, rows.Len()
	g := &growth{forest: f, rows: rows, seed: seed, n: n, m: n, codes: make([][]uint8, s.d)}
	if n >= blindRows {
		g.m -= min(n/5, treeHoldout)
	}
	g.order = run.Rand(seed, 0, 0).Perm(n)
	for _, t := range targets {
		b := newBoosted(t, g.order, g.m)
		b.learning, b.chosen = true, g.choose(b)
		g.targets = append(g.targets, b)
	}
	g.growers.New = func() any { return newGrower(g.m, min(s.d, treeColumns), treeLeaves, binsOf(rows.n)) }
	return g
}

// round grows a tree for each score of each target that still learns, and reports whether
// any does.
func (g *growth) round(round int) bool {
	g.jobs = g.jobs[:0]
	var columns []int
	for t, b := range g.targets {
		if !b.learning {
			continue
		}
		b.slopes(g.m)
		b.rounds = append(b.rounds, make([]tree, b.outputs))
		for c := range b.outputs {
			j := job{b, c, g.columnsOf(t, c, round)}
			g.jobs, columns = append(g.jobs, j), append(columns, j.columns...)
		}
	}
	slices.Sort(columns)
	g.look(slices.Compact(columns))
	simd.Parallel(len(g.jobs), 1, func(lo, hi int) {
		for _, j := range g.jobs[lo:hi] {
			g.grow(j)
		}
	})
	going := false
	for _, b := range g.targets {
		b.learning = b.learning && b.judge(g.m, g.n)
		going = going || b.learning
	}
	return going
}

// look gets the codes of columns, unless it has them.
func (g *growth) look(columns []int) {
	columns = slices.DeleteFunc(columns, func(j int) bool { return g.codes[j] != nil })
	g.bins.columns(columns)
	for _, j := range columns {
		all, own := g.bins.codes[j], make([]uint8, g.n)
		for i, at := range g.order {
			own[i] = all[g.rows.at[at]]
		}
		g.codes[j] = own
	}
}

// grow makes one tree and adds it to the scores.
func (g *growth) grow(j job) {
	w := g.growers.Get().(*grower)
	defer g.growers.Put(w)
	t := w.grow(g.codes, j.columns, j.packed[j.output], j.scale, j.least, treeRate)
	scores := j.scores[j.output]
	w.addTo(scores, t)
	for i := g.m; i < g.n; i++ {
		scores[i] += t.at(g.codes, i)
	}
	j.rounds[len(j.rounds)-1][j.output] = t
}

// choose returns the columns that trees of a target look at, or that these are drawn from: those with the largest sum, over the scores, of squared
// correlations with the slopes of the loss before the first tree. Standardised values are cut off as those of a network are.
func (g *growth) choose(b *boosted) []int {
	all := nn.Indices(g.d)
	if g.d <= treeWide || b.outputs == 0 {
		return all
	}
	b.slopes(g.m)
	z, along, with := make([]float32, g.d), make([]float32, b.outputs*g.d), make([]float64, g.d)
	for i, at := range g.order[:g.m] {
		standardise(g.rows.scale(), networkFar, z, g.rows.Row(at))
		for c, packed := range b.packed {
			slope, _ := unpack(packed[i])
			simd.Axpy(float32(slope/b.scale), z, along[c*g.d:][:g.d])
		}
	}
	for i, v := range along {
		with[i%g.d] += float64(v) * float64(v)
	}
	slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(with[j], with[i]) })
	slices.Sort(all[:treeColumns])
	return all[:treeColumns]
}

// columnsOf returns the columns a tree looks at, ascending.
func (g *growth) columnsOf(target, output, round int) []int {
	columns := slices.Clone(g.targets[target].chosen)
	if len(columns) <= treeColumns {
		return columns
	}
	r := run.Rand(g.seed, 1+round, target<<20+output)
	for i := range treeColumns {
		k := i + r.IntN(len(columns)-i)
		columns[i], columns[k] = columns[k], columns[i]
	}
	slices.Sort(columns[:treeColumns])
	return columns[:treeColumns]
}

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *forest) Predict(ctx context.Context, dst [][]float32, rows Rows) error {
	n := f.check(dst, rows)
	simd.Parallel((n+treeBlock-1)/treeBlock, 1, func(lo, hi int) {
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			from, to := b*treeBlock, min(n, (b+1)*treeBlock)
			codes := f.bins.rows(Rows{rows.Table, rows.at[from:to]}, f.cut)
			for t, w := range f.widths {
				if dst[t] != nil {
					f.targets[t].predict(dst[t][from*w:to*w], codes, to-from)
				}
			}
		}
	})
	return ctx.Err()
}

// sigmoid returns 1/(1 + e^−x).
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
