package promise

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
	"tattle/run"
	"tattle/shape"
)

// Node is the name of the node of Answer.Model to whose output noise is added.
const Node = "release"

// An Answer is what a search found.
type Answer struct {
	Best      *Point      // nil if no place keeps the promise
	Model     *nn.Graph   // the released model: its node Node is what noise is added to, its output the logits of the target
	Heads     []*nn.Graph // of the released values: one for each task
	ListDraws int         // of the final measurement
	Clean     float64     // accuracy of the model itself, on the examples to validate
	Points    []Point     // all that was tried, line after line
	Left      []string    // places that were given up, with the reasons
	Nearest   *Point      // of the points that do not meet the limits, the nearest; nil if Best is there
	Cuts      []CutCost   // of the nodes that were tried
}

// A CutCost says how much of a model is before a node.
type CutCost struct {
	Node         string  `json:"node"`
	Features     int     `json:"features"`
	MultiplyAdds int64   `json:"multiply_adds"` // for one input, before the node
	Share        float64 `json:"share"`         // of the whole model's
	Parameters   int     `json:"parameters"`    // before the node
}

type searcher struct {
	Options
	graph       *nn.Graph
	train, test *dataset.Set
	candidates  []int   // of the training data
	inputs      int     // numbers of an input
	most        float64 // squareRange of the inputs
	places      []place
	last        *cut // of the last place that was computed here
	lines       map[int]*line
	named       bool // the methods are those that were asked for
}

// streamCandidates numbers the random stream that orders the candidates if they are all training
// data.
const streamCandidates = 13

// Search finds the release of g that keeps the promise at the least cost in accuracy. train and test
// are labelled; test is used only for its size and to check the limits against.
func Search(ctx context.Context, g *nn.Graph, train, test *dataset.Set, o Options) (*Answer, error) {
	if !train.Labelled() || !test.Labelled() {
		return nil, errNoLabels
	}
	if err := o.check(train, test); err != nil {
		return nil, err
	}
	s, err := newSearcher(g, train, test, o)
	if err != nil {
		return nil, err
	}
	if s.Dir == "" {
		if s.Dir, err = os.MkdirTemp("", "tattle-design-"); err != nil {
			return nil, fmt.Errorf("a folder for the search: %w", err)
		}
		defer os.RemoveAll(s.Dir)
	}
	found, err := s.stage(ctx)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, found)
}

func newSearcher(g *nn.Graph, train, test *dataset.Set, o Options) (*searcher, error) {
	o.Finetune = cmp.Or(o.Finetune, FinetuneHead)
	if o.Pool == nil {
		o.Pool = run.Alone{}
	}
	if len(o.Nodes) == 0 {
		node, err := g.FeatureNode()
		if err != nil {
			return nil, err
		}
		o.Nodes = []string{node}
	}
	named := len(o.Methods) > 0
	if !named {
		o.Methods = DefaultMethods()
	}
	s := &searcher{Options: o, graph: g, train: train, test: test, inputs: nn.Size(train.Shape), lines: map[int]*line{}, named: named}
	s.candidates = run.Rand(o.Seed, 0, streamCandidates).Perm(train.Len())
	if o.Candidates < train.Len() { // those of the final measurement
		s.candidates = measure.DrawCandidates(train.Len(), o.Candidates, o.Seed)
	}
	var err error
	if s.most, err = squareRange(test); err != nil {
		return nil, err
	}
	for _, node := range o.Nodes {
		for _, m := range o.Methods {
			if o.Finetune == FinetuneNone && m.learns() {
				continue
			}
			for _, w := range m.weights() {
				s.places = append(s.places, place{node, m, w})
			}
		}
	}
	return s, nil
}

func (s *searcher) tell(phase string, done, total int) {
	if s.Progress != nil {
		s.Progress(phase, done, total)
	}
}

// found is a shard: what a place came to.
type found struct {
	Left    string  `json:"left,omitempty"` // why there is nothing
	Cost    CutCost `json:"cut"`
	Clean   float64 `json:"clean"`
	Points  []Point `json:"points,omitempty"`
	Best    *Point  `json:"best,omitempty"`
	Nearest *Point  `json:"nearest,omitempty"`
	// ONNX files: features to values, inputs to values, values to logits. Those that the model
	// itself has are left out.
	Layer []byte `json:"layer,omitempty"`
	Front []byte `json:"front,omitempty"`
	Head  []byte `json:"head,omitempty"`
}

// stage computes a shard for each place.
func (s *searcher) stage(ctx context.Context) ([]*found, error) {
	settings := struct {
		Options Options `json:"options"`
		Places  []place `json:"places"`
		Named   bool    `json:"named"`
	}{s.Options, s.places, s.named}
	folder, err := s.Pool.Run(ctx, run.Work{
		Dir: filepath.Join(s.Dir, "places"), Resume: s.Resume,
		Manifest: run.Manifest{Command: "design", Shards: len(s.places), Hashes: s.Hashes, Settings: settings},
		Name:     func(i int) string { return s.places[i].String() },
		Do: func(ctx context.Context, i int, w io.Writer) error {
			f, err := s.search(ctx, s.places[i])
			if err != nil {
				return fmt.Errorf("%s: %w", s.places[i], err)
			}
			return json.NewEncoder(w).Encode(f)
		},
		Progress: func(f *run.Folder) { s.tell("searching", f.Len()-len(f.Remaining()), len(s.places)) },
	})
	if err != nil {
		return nil, err
	}
	all := make([]*found, len(s.places))
	for i := range all {
		b, err := file.ReadFile(folder.Path(i))
		if err != nil {
			return nil, err
		}
		all[i] = new(found)
		if err := json.Unmarshal(b, all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", folder.Path(i), err)
		}
	}
	return all, nil
}

// cutAt returns the cut at a node, which is kept for the next place.
func (s *searcher) cutAt(ctx context.Context, node string) (*cut, error) {
	if s.last != nil && s.last.node == node {
		return s.last, nil
	}
	s.last = nil
	c, err := newCut(ctx, s.graph, node, s.train, s.validation(), func(done, total int) { s.tell("computing the features of "+node, done, total) })
	if err == nil {
		s.last = c
	}
	return c, err
}

// search finds the least noise that keeps the promise at a place.
func (s *searcher) search(ctx context.Context, p place) (*found, error) {
	c, err := s.cutAt(ctx, p.Node)
	if err != nil {
		return left(ctx, p, err)
	}
	f := &found{Cost: c.cost(s.graph), Clean: share(c.right)}
	if p.Method.Peer() {
		if f.Points, err = s.peer(ctx, c, p, f.Cost.MultiplyAdds); err != nil {
			return left(ctx, p, err)
		}
		return f, nil
	}
	l, err := s.line(ctx, c, p)
	if err != nil {
		return left(ctx, p, err)
	}
	if err := s.along(ctx, c, l, f); err != nil {
		return nil, err
	}
	slices.SortFunc(f.Points, func(p, q Point) int { return cmp.Compare(p.Sigma, q.Sigma) })
	if f.Best == nil {
		return f, nil
	}
	return f, f.encode(l)
}

// encode stores the nets of a line at the best strength.
func (f *found) encode(l *line) (err error) {
	encode := func(to *[]byte, g *nn.Graph) {
		if err == nil && g != nil {
			*to, err = onnx.Encode(g)
		}
	}
	if encode(&f.Front, l.front); l.front == nil {
		encode(&f.Layer, l.layer)
	}
	if l.Method == Isotropic || err != nil {
		return err
	}
	head, err := l.head(f.Best.Sigma)
	if err == nil {
		encode(&f.Head, head)
	}
	return err
}

// left gives a place up, with the reason; if ctx ended, it returns ctx's error.
func left(ctx context.Context, p place, err error) (*found, error) {
	if ctx.Err() != nil {
		return nil, err
	}
	return &found{Left: fmt.Sprintf("%s: %v", p, err)}, nil
}

// Steps of the search along a line.
const (
	coarse = 1.5  // factor between strengths while the promise is approached
	fine   = 1.02 // precision of σ
	gain   = 5e-4 // of accuracy, that less noise is worth
	steps  = 24   // of the approach: 1.5²⁴ is 17,000
)

// along measures a line from its first strength to where the promise is kept, and beyond on
// both sides for the chart.
func (s *searcher) along(ctx context.Context, c *cut, l *line, f *found) error {
	try := func(sigma float64) (Point, error) {
		s.tell("searching: "+l.place.String(), len(f.Points), len(f.Points)+8)
		p, err := s.at(ctx, c, l, sigma)
		if err == nil {
			f.Points = append(f.Points, p)
		}
		return p, err
	}
	p, err := try(l.scale)
	if err != nil {
		return err
	}
	low, high := p, p // low does not keep the promise, high does
	for k := 0; k < steps && low.Meets == high.Meets; k++ {
		sigma := high.Sigma * coarse
		if p.Meets {
			sigma = low.Sigma / coarse
		}
		if sigma < release.MinSigma || sigma > release.MaxSigma {
			break
		}
		q, err := try(sigma)
		if err != nil {
			return err
		}
		if !p.Meets {
			low, high = high, q
			continue
		}
		if q.Meets && mean(q.Accuracy) < mean(low.Accuracy)+gain {
			f.Points = f.Points[:len(f.Points)-1] // it only protects less
			high = low
			high.Free = true
			break
		}
		low, high = q, low
	}
	if !high.Meets {
		f.Nearest = &high
		return nil
	}
	for !low.Meets && high.Sigma > low.Sigma*fine {
		q, err := try(math.Sqrt(low.Sigma * high.Sigma))
		if err != nil {
			return err
		}
		if q.Meets {
			high = q
		} else {
			low = q
		}
	}
	f.Best = &high
	return s.forNew(ctx, c, l, f, try)
}

// forNew raises the best strength until new inputs are identified rarely enough, too.
func (s *searcher) forNew(ctx context.Context, c *cut, l *line, f *found, try func(sigma float64) (Point, error)) error {
	if s.Fresh == nil || s.Identify == 0 {
		return nil
	}
	fresh, err := l.released(ctx, c, s.Fresh)
	if err != nil {
		return err
	}
	draws := min(max(int(50/s.Identify), 2*searchDraws), mostHiddenDraws)
	// Wide releases are slow to measure.
	draws = min(draws, max(2*searchDraws, mostHiddenProducts/(s.Candidates*l.values.n)))
	for range steps {
		r, err := s.hidden(ctx, l.values, fresh, f.Best.Sigma, draws, s.Seed)
		if err != nil {
			return err
		}
		first, _ := r.Identified(alpha)
		f.Best.New = first.Mean
		f.Points[slices.IndexFunc(f.Points, func(p Point) bool { return p.Sigma == f.Best.Sigma })].New = first.Mean
		over := first.Mean * identifyMargin / s.Identify
		if over <= 1 {
			return nil
		}
		sigma := f.Best.Sigma * min(max(math.Pow(over, 1/steepness), fine), coarse)
		if sigma > release.MaxSigma {
			break
		}
		p, err := try(sigma)
		if err != nil {
			return err
		}
		f.Best = &p
	}
	f.Best, f.Nearest = nil, f.Best
	return nil
}

// cost says how much of the model is before the cut.
func (c *cut) cost(g *nn.Graph) CutCost {
	x := CutCost{Node: c.node, Features: c.n, Parameters: c.front.ParamCount()}
	// Costs cannot fail on a graph whose front is computed.
	x.MultiplyAdds, _ = multiplyAdds(c.front)
	if whole, _ := multiplyAdds(g); whole > 0 {
		x.Share = float64(x.MultiplyAdds) / float64(whole)
	}
	return x
}

func share(right []bool) float64 {
	k := 0
	for _, r := range right {
		if r {
			k++
		}
	}
	return float64(k) / float64(max(len(right), 1))
}

// cheaper orders points by what they cost: mean accuracy over the tasks, then the number of
// values.
func cheaper(p, q *Point) int {
	return cmp.Or(-cmp.Compare(mean(p.Accuracy), mean(q.Accuracy)), cmp.Compare(p.Keep, q.Keep))
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// answer chooses among the places.
func (s *searcher) answer(ctx context.Context, all []*found) (*Answer, error) {
	a := &Answer{ListDraws: s.draws()}
	best := -1
	for i, f := range all {
		a.Points = append(a.Points, f.Points...)
		if f.Left != "" {
			a.Left = append(a.Left, f.Left)
			continue
		}
		a.Clean = max(a.Clean, f.Clean)
		if !slices.ContainsFunc(a.Cuts, func(c CutCost) bool { return c.Node == f.Cost.Node }) {
			a.Cuts = append(a.Cuts, f.Cost)
		}
		if f.Nearest != nil && (a.Nearest == nil || cheaper(f.Nearest, a.Nearest) < 0) {
			a.Nearest = f.Nearest
		}
		if f.Best != nil && len(f.Best.Accuracy) > len(s.Tasks) && (best < 0 || cheaper(f.Best, all[best].Best) < 0) {
			best = i
		}
	}
	if best < 0 {
		return a, nil
	}
	a.Best, a.Nearest = all[best].Best, nil
	if err := s.relearn(ctx, all[best]); err != nil {
		return nil, err
	}
	if err := s.assemble(all[best], a); err != nil {
		return nil, err
	}
	return a, s.settle(ctx, a)
}

// relearn learns the release of a place again, from all training data: the part that measured
// accuracies is no longer needed.
func (s *searcher) relearn(ctx context.Context, f *found) error {
	c, err := s.cutAt(ctx, f.Cost.Node)
	if err != nil {
		return err
	}
	whole := *c
	whole.learn = append(append([]int(nil), c.learn...), c.validate...)
	slices.Sort(whole.learn)
	if whole.moments, err = shape.NewMoments(ctx, part{c.features, whole.learn}, c.n, c.moments.Classes); err != nil {
		return err
	}
	l, err := s.line(ctx, &whole, f.Best.place)
	if err != nil {
		return err
	}
	return f.encode(l)
}

// draws returns the number of draws of the final measurement: 200 of them would identify the
// input at the limit, so that the limit of the mean is some 20 to 30 % above the mean.
func (s *searcher) draws() int {
	n := cmp.Or(s.ListDraws, DefaultListDraws)
	if s.Identify > 0 {
		n = max(n, int(math.Ceil(200/s.Identify)))
	}
	return min(n, mostListDraws)
}
