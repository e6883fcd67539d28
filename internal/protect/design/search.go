package design

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/run"
)

// Node is the name of the node of Answer.Model to whose output noise is added.
const Node = "release"

type searcher struct {
	Options
	graph       *nn.Graph
	train, test *dataset.Set
	candidates  []int           // of the training data
	people      measure.Peopled // the same
	inputs      int             // numbers of an input
	most        float64         // measure.SquareRange of the inputs
	places      []place
	running     *running
}

// streamCandidates numbers the random stream that orders the candidates if they are all training
// data.
const streamCandidates = 13

// Search finds the release of g that keeps the limits at the least cost in accuracy. train and test
// are labelled. The search does not measure on test: checks of the options use its size, people, labels and spread.
func Search(ctx context.Context, g *nn.Graph, train, test *dataset.Set, o Options) (*Answer, error) {
	if err := o.check(train, test); err != nil {
		return nil, err
	}
	if (o.Use == nil || o.Use.ByTarget()) && (!train.Labelled() || !test.Labelled()) {
		return nil, errNoLabels
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
	o.Pool = cmp.Or(o.Pool, run.Pool(run.Leader{}))
	if len(o.Nodes) == 0 {
		node, err := g.FeatureNode()
		if err != nil {
			return nil, err
		}
		o.Nodes = []string{node}
	}
	s := &searcher{Options: o, graph: g, train: train, test: test, inputs: nn.Size(test.Shape)}
	s.running = &running{tell: s.tell}
	if len(s.Methods) == 0 {
		s.Methods = slices.DeleteFunc(s.known(), func(m Method) bool { return m == Erased && len(s.Protect) == 0 })
	}
	s.places = s.Options.places()
	s.people = measure.PeopledOf(s.train, s.list(s.train))
	s.candidates = s.people.Indices
	s.most = measure.SquareRange(s.train, s.Seed) // of training data: the sample must not choose the noise
	return s, nil
}

func (s *searcher) tell(phase string, done, total int) {
	if s.Progress != nil {
		s.Progress(phase, done, total)
	}
}

// found is the result of the search at one place: one shard of the run.
type found struct {
	Left    string  `json:"left,omitempty"` // why there is nothing
	Clean   float64 `json:"clean"`
	Points  []Point `json:"points,omitempty"`
	Best    *Point  `json:"best,omitempty"`
	Nearest *Point  `json:"nearest,omitempty"`
	// ONNX files: features to values, values to logits. Those that the model itself has are left out.
	Layer []byte `json:"layer,omitempty"`
	Head  []byte `json:"head,omitempty"`
}

// stage computes a shard for each place.
func (s *searcher) stage(ctx context.Context) ([]*found, error) {
	settings := struct {
		Options Options `json:"options"`
		Places  []place `json:"places"`
	}{s.Options, s.places}
	folder, err := s.Pool.Run(ctx, run.Work{
		Dir: filepath.Join(s.Dir, "places"), Resume: s.Resume,
		Manifest: run.Manifest{Command: "design", Shards: len(s.places), Hashes: s.Hashes, Settings: settings},
		Name:     func(i int) string { return s.places[i].String() },
		AtOnce:   s.atOnce(),
		Do: func(ctx context.Context, i int, w io.Writer) error {
			one := *s
			one.Progress = func(phase string, done, total int) { s.running.show(i, phase, done, total) }
			s.running.change(i, true)
			defer s.running.change(i, false)
			f, err := one.search(ctx, s.places[i])
			if err != nil {
				return fmt.Errorf("%s: %w", s.places[i], err)
			}
			return json.NewEncoder(w).Encode(f)
		},
		Progress: func(f *run.Folder) {
			s.running.show(everyPlace, "searching", f.Len()-len(f.Remaining()), len(s.places))
		},
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

// search finds the least noise that keeps the promise at a place.
func (s *searcher) search(ctx context.Context, p place) (*found, error) {
	c, err := s.cutAt(ctx, p.Node)
	if err != nil {
		return left(ctx, p, err)
	}
	f := &found{Clean: mean(c.scores)}
	l, err := s.line(ctx, c, p)
	if err != nil {
		return left(ctx, p, err)
	}
	if err := s.along(ctx, c, l, f); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.Points, func(p, q Point) int { return cmp.Compare(p.Sigma, q.Sigma) })
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
	encode(&f.Layer, l.layer)
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
	if wrong := (*measure.OptionError)(nil); ctx.Err() != nil || errors.As(err, &wrong) {
		return nil, err
	}
	return &found{Left: fmt.Sprintf("%s: %v", p, err)}, nil
}

// Steps of the search along a line.
const (
	coarse = 1.5  // least factor between strengths while the promise is approached
	far    = 5    // largest
	slight = .1   // least excess that counts, for a guess of where the limits are met
	fine   = 1.02 // precision of σ
	gain   = 5e-4 // of accuracy, that less noise is worth
	steps  = 24   // of the approach, at most: 1.5²⁴ is 17,000
)
