package design

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tattle/bound"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// Streams keep the draws of a search apart from other uses of one seed.
const (
	sampleStream = 0x73616d706c65 // "sample": which examples
	freshStream  = 0x6672657368   // "fresh": noise that the search has not seen
)

// searcher is a search under way.
type searcher struct {
	Options
	graph       *nn.Graph
	node        string
	train, test nn.Source
	base        *base
	places      []release.Spec
	fronts      map[int]*front // by place: those that this process built
	swept       int            // lines that are done
	evaluations int
	certified   int // certificates that were begun
}

// Search sweeps the options' lines for the release of g's features at node ("" for
// those that enter its last affine layer) that keeps the target at the least drop of
// accuracy on test; of equal drops, the one of the fewest features, then of the
// least σ. Without a target it looks for the most confidential that keeps to MaxDrop:
// the one of fewest directions within DefaultWithin, then of the largest median.
// train is what projections and attacks are fitted to; it may be nil if neither
// needs it.
func Search(ctx context.Context, g *nn.Graph, node string, train, test nn.Source, o Options) (*Answer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if train == nil && o.Target.AttackMSE > 0 {
		return nil, measure.WrongOption("Target", "a target for the linear attack needs training data: give those")
	}
	remove, err := o.inFolder()
	if err != nil {
		return nil, err
	}
	defer remove()
	s, err := newSearcher(ctx, g, node, train, test, o)
	if err != nil {
		return nil, err
	}
	if s.places, err = places(s.Options, s.node, s.base.n, train != nil); err != nil {
		return nil, err
	}
	a := &Answer{Within: s.within(), Examples: len(s.base.indices), Features: s.base.n, Clean: accuracy(s.base.right)}
	best, err := s.sweep(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := s.settle(ctx, best, a); err != nil {
		return nil, err
	}
	a.Evaluations = s.evaluations
	return a, nil
}

func newSearcher(ctx context.Context, g *nn.Graph, node string, train, test nn.Source, o Options) (_ *searcher, err error) {
	if o.Pool == nil {
		o.Pool = run.Alone{}
	}
	o.Draws = cmp.Or(o.Draws, DefaultDraws)
	o.Examples = cmp.Or(o.Examples, DefaultExamples)
	if len(o.Families) == 0 {
		o.Families = []string{"gaussian", "laplace", "logistic"}
	}
	for _, family := range o.Families {
		if _, err := release.ParseNoise(family, 1, 1); err != nil {
			return nil, &measure.OptionError{Option: "Families", Err: err}
		}
	}
	if o.Coordinates == nil {
		o.Coordinates = coordinatesOf(g.InputShape)
	}
	if node == "" {
		if node, err = g.FeatureNode(); err != nil {
			return nil, err
		}
	}
	features, _, err := g.Cut(node)
	if err != nil {
		return nil, err
	}
	if err := bound.Smooth(features); err != nil {
		return nil, fmt.Errorf("noise cannot be chosen by Cramér-Rao figures: %w", err)
	}
	s := &searcher{Options: o, graph: g, node: node, train: train, test: test, fronts: map[int]*front{}}
	s.tell(Searching, 0, 1)
	s.base, err = newBase(ctx, g, node, test, o)
	return s, err
}

// coordinatesOf are cosine modes where the input has a shape for them, else its
// entries.
func coordinatesOf(shape []int) bound.Coordinates {
	if len(shape) >= 1 && len(shape) <= 3 {
		return bound.DCT(shape)
	}
	return bound.Pixels(nn.Size(shape))
}

func (s *searcher) tell(phase string, done, total int) {
	if s.Progress != nil {
		s.Progress(phase, done, total)
	}
}

// within is the level at which directions are counted.
func (o Options) within() float64 { return cmp.Or(o.Target.Within, DefaultWithin) }

// candidate is the point of a line that would be the answer, were the line best.
type candidate struct {
	*line     // nil until ready makes it
	place     int
	point     Point
	confirmed *Confirmation // nil until certified
	needs     float64       // least σ that meets the target by estimate; 0 without a target
	limit     float64       // largest σ that keeps to MaxDrop; 0 if unknown or none
	left      string        // why the point is no answer; empty if it is one
}

// String names the candidate's line.
func (c *candidate) String() string {
	return lineName(c.point.Family, c.point.Projection, c.point.Keep)
}

// sweep measures every line, adding their points to the frontier, and returns each
// line's candidate.
func (s *searcher) sweep(ctx context.Context, a *Answer) ([]*candidate, error) {
	places, err := s.stage(ctx, linesDir, s.linesAt)
	if err != nil {
		return nil, err
	}
	var all []*candidate
	for i, f := range places {
		if f.Left != "" {
			a.Left = append(a.Left, f.Left)
		}
		for j, l := range f.Lines {
			family := s.Families[j]
			a.Frontier = append(a.Frontier, pointsOf(l.Points, family)...)
			if l.Best == nil {
				a.Left = append(a.Left, l.Left)
				continue
			}
			all = append(all, &candidate{place: i, point: l.Best.point(family), needs: l.Needs, limit: l.Limit})
		}
	}
	return all, nil
}

// along measures a line: a grid of strengths for the frontier, and the candidate.
func (s *searcher) along(ctx context.Context, l *line) (*candidate, []Point, error) {
	points, err := s.grid(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	c := &candidate{line: l}
	sigma := 0.
	if s.Target.empty() {
		c.limit, err = s.greatest(ctx, l, &points)
		sigma = c.limit
	} else {
		c.needs = s.least(l)
		sigma = c.needs
	}
	if err != nil {
		return nil, nil, err
	}
	if !(sigma >= release.MinSigma && sigma <= min(release.MaxSigma, strongest*l.curve.RMS())) {
		c.left = s.hopeless(l, sigma)
		return c, points, nil
	}
	if c.point, err = s.measure(ctx, l, sigma); err != nil {
		return nil, nil, err
	}
	c.left = s.implausible(c.point)
	points = append(points, c.point)
	slices.SortFunc(points, func(p, q Point) int { return cmp.Compare(p.Sigma, q.Sigma) })
	points = slices.CompactFunc(points, func(p, q Point) bool { return p.Sigma == q.Sigma })
	return c, points, nil
}

// cheaper orders points, the better first: those that meet and keep all before
// others; then the least drop, the fewest features and the least σ.
func cheaper(p, q Point) int {
	return cmp.Or(
		-compareBool(p.Meets && p.Keeps, q.Meets && q.Keeps),
		cmp.Compare(p.Drop.Mean, q.Drop.Mean),
		smaller(p, q))
}

// smaller orders points by the number of features, then by σ.
func smaller(p, q Point) int {
	return cmp.Or(cmp.Compare(p.Keep, q.Keep), cmp.Compare(p.Sigma, q.Sigma))
}

// quieter orders points, the more confidential first.
func quieter(p, q Point) int {
	return cmp.Or(
		-compareBool(p.Keeps, q.Keeps),
		cmp.Compare(p.Directions, q.Directions),
		cmp.Compare(q.MedianStd, p.MedianStd),
		cmp.Compare(p.Keep, q.Keep))
}

func compareBool(p, q bool) int {
	switch {
	case p == q:
		return 0
	case p:
		return 1
	}
	return -1
}
