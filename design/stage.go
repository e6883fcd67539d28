package design

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"tattle/internal/file"
	"tattle/release"
	"tattle/run"
)

// The stages of a search, folders within Options.Dir: what is found along every line,
// then, where nothing meets all that is asked for, how far each line may go. The bounds
// of each certificate are stages after them.
const (
	linesDir   = "lines"
	limitsDir  = "limits"
	certifyDir = "certify-%d"
)

// found is a shard: what the lines of one place came to.
type found struct {
	Left        string       `json:"left,omitempty"` // why nothing was tried there
	Lines       []foundAlong `json:"lines,omitempty"`
	Evaluations int          `json:"evaluations"`
}

// foundAlong is what one line came to.
type foundAlong struct {
	Left   string   `json:"left,omitempty"` // why no strength of noise on it will do
	Best   *record  `json:"best,omitempty"` // the candidate's point, nil where Left says why
	Needs  float64  `json:"needs"`
	Limit  float64  `json:"limit"`
	Points []record `json:"points,omitempty"`
}

// record is a Point as JSON has it, its family left out: that of its line, which may
// name a file that lies elsewhere with whoever reads it.
type record struct {
	Point
	AttackMSE *float64 // in place of the Point's, which may be NaN
}

func recordOf(p Point) record {
	p.Family = ""
	r := record{Point: p}
	if !math.IsNaN(p.AttackMSE) {
		r.AttackMSE = &p.AttackMSE
	}
	return r
}

func (r record) point(family string) Point {
	r.Point.Family, r.Point.AttackMSE = family, math.NaN()
	if r.AttackMSE != nil {
		r.Point.AttackMSE = *r.AttackMSE
	}
	return r.Point
}

func recordsOf(points []Point) []record {
	list := make([]record, len(points))
	for i, p := range points {
		list[i] = recordOf(p)
	}
	return list
}

func pointsOf(records []record, family string) []Point {
	list := make([]Point, len(records))
	for i, r := range records {
		list[i] = r.point(family)
	}
	return list
}

// settings is all that decides a stage's outcome.
type settings struct {
	Target      Target         `json:"target"`
	MaxDrop     float64        `json:"max_drop"`
	Node        string         `json:"node"`
	Families    []string       `json:"families"`
	Places      []release.Spec `json:"places"`
	Draws       int            `json:"draws"`
	Seed        uint64         `json:"seed"`
	Indices     []int          `json:"examples"`
	Coordinates string         `json:"coordinates"`
}

// stage computes a shard for each place and returns what they hold, in order.
func (s *searcher) stage(ctx context.Context, name string, do func(ctx context.Context, place int) (*found, error)) ([]*found, error) {
	lines := len(s.Families)
	folder, err := s.Pool.Run(ctx, run.Work{
		Dir: filepath.Join(s.Dir, name), Resume: s.Resume,
		Manifest: run.Manifest{Command: "design", Shards: len(s.places), Hashes: s.Hashes, Settings: settings{
			s.Target, s.MaxDrop, s.node, s.familyNames(), s.places, s.Draws, s.Seed, s.base.indices,
			fmt.Sprintf("%s of %d", s.Coordinates.Name(), s.Coordinates.Len())}},
		Name: func(i int) string { return s.nameOf(i) },
		Do: func(ctx context.Context, i int, w io.Writer) error {
			before := s.evaluations
			f, err := do(ctx, i)
			taken := s.evaluations - before
			s.evaluations = before // they count once, when the shard is read
			if err != nil {
				return err
			}
			f.Evaluations = taken
			return json.NewEncoder(w).Encode(f)
		},
		Progress: func(f *run.Folder) {
			s.swept = lines * (f.Len() - len(f.Remaining()))
			s.tell(Searching, s.swept, lines*len(s.places))
		},
	})
	if err != nil {
		return nil, err
	}
	all := make([]*found, len(s.places))
	for i := range all {
		if all[i], err = readFound(folder.Path(i)); err != nil {
			return nil, err
		}
		s.evaluations += all[i].Evaluations
	}
	return all, nil
}

func readFound(path string) (*found, error) {
	b, err := file.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(found)
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// familyNames are the families without the folders of their files, whose digests are
// among Hashes.
func (s *searcher) familyNames() []string {
	names := make([]string, len(s.Families))
	for i, f := range s.Families {
		names[i] = familyName(f)
	}
	return names
}

// nameOf says which features a place keeps.
func (s *searcher) nameOf(place int) string {
	spec := s.places[place]
	return kept(spec.Projection, cmp.Or(spec.Keep, s.base.n))
}

// frontAt returns the front of a place, built once in this process.
func (s *searcher) frontAt(ctx context.Context, place int) (*front, error) {
	if f := s.fronts[place]; f != nil {
		return f, nil
	}
	f, err := s.build(ctx, s.places[place])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.nameOf(place), err)
	}
	s.fronts[place] = f
	return f, nil
}

// ready makes a candidate's line, where it was found by another process or before an
// interruption.
func (s *searcher) ready(ctx context.Context, c *candidate) error {
	if c.line != nil {
		return nil
	}
	f, err := s.frontAt(ctx, c.place)
	if err == nil {
		c.line, err = newLine(f, c.point.Family)
	}
	return err
}

// linesAt measures every line of a place.
func (s *searcher) linesAt(ctx context.Context, place int) (*found, error) {
	f, err := s.frontAt(ctx, place)
	if err != nil {
		return nil, err
	}
	if s.lossy(f) {
		return &found{Left: fmt.Sprintf("%s: even without noise, the accuracy falls by %s", f.name(), dropWords(f.lost))}, nil
	}
	out := new(found)
	for j, family := range s.Families {
		l, err := newLine(f, family)
		if err != nil {
			return nil, err
		}
		s.tell(Searching, s.swept+j, len(s.Families)*len(s.places))
		c, points, err := s.along(ctx, l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l, err)
		}
		along := foundAlong{Points: recordsOf(points)}
		if c.left != "" {
			along.Left = fmt.Sprintf("%s: %s", l, c.left)
		} else {
			best := recordOf(c.point)
			along.Best, along.Needs, along.Limit = &best, c.needs, c.limit
		}
		out.Lines = append(out.Lines, along)
	}
	return out, nil
}

// limitsAt finds how far the candidates of a place may go until MaxDrop, between the
// points that the frontier has.
func (s *searcher) limitsAt(ctx context.Context, place int, all []*candidate, frontier []Point) (*found, error) {
	out := new(found)
	for _, c := range all {
		if c.place != place {
			continue
		}
		if err := s.ready(ctx, c); err != nil {
			return nil, err
		}
		points := lineOf(frontier, c.point)
		limit, err := s.greatest(ctx, c.line, &points)
		if err != nil {
			return nil, err
		}
		out.Lines = append(out.Lines, foundAlong{Limit: limit, Points: recordsOf(points)})
	}
	return out, nil
}

// inFolder makes a folder for the stages where Options names none: it goes again.
func (o *Options) inFolder() (remove func(), err error) {
	if o.Dir != "" {
		return func() {}, nil
	}
	if o.Dir, err = os.MkdirTemp("", "tattle-design-"); err != nil {
		return nil, fmt.Errorf("a folder for the search: %w", err)
	}
	o.Resume = false
	return func() { os.RemoveAll(o.Dir) }, nil
}
