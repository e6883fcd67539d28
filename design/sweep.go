package design

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/bound"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/shape"
)

// Projections of the features, after which the model's own head gets what they map back to. Without
// a promise they are tried beside Isotropic.
const (
	First     Method = release.ProjectionFirst
	Random    Method = release.ProjectionRandom
	Principal Method = release.ProjectionPrincipal
)

func projections() []Method { return []Method{First, Random, Principal} }

// strongest is the strongest noise of a sweep, as a multiple of the root mean square of what is
// released: stronger noise is never recommended.
const strongest = 32

// sweep returns the places of a search without a promise: at each node all features, then fewer and
// fewer.
func (s *searcher) sweep() (all []place, err error) {
	kinds := s.Projections
	if len(kinds) == 0 && s.train != nil {
		kinds = []string{string(Principal)}
	}
	if len(s.Projections) == 0 {
		kinds = append(kinds, string(Random))
	}
	for _, node := range s.Nodes {
		front, _, err := s.graph.Cut(node)
		if err != nil {
			return nil, err
		}
		if err := bound.Smooth(front); err != nil {
			return nil, fmt.Errorf("noise cannot be chosen by the Jacobian: %w", err)
		}
		_, n, err := dims(front)
		if err != nil {
			return nil, err
		}
		keeps, err := s.keeps(n)
		if err != nil {
			return nil, err
		}
		for _, keep := range keeps {
			if keep == n {
				all = append(all, place{Node: node, Method: Isotropic})
				continue
			}
			for _, kind := range kinds {
				all = append(all, place{Node: node, Method: Method(kind), Keep: keep})
			}
		}
	}
	return all, nil
}

// keeps returns the numbers of features of a sweep, of n, descending.
func (o *Options) keeps(n int) ([]int, error) {
	keeps := slices.Clone(o.Keeps)
	for i, k := range keeps {
		if k < 0 || k > n {
			return nil, measure.WrongOption("Keeps", "%d of %d features cannot be kept", k, n)
		}
		keeps[i] = cmp.Or(k, n)
	}
	if len(keeps) == 0 {
		keeps = []int{n}
		for k := n / 2; k >= leastKeep; k /= 2 {
			keeps = append(keeps, k)
		}
	}
	slices.Sort(keeps)
	slices.Reverse(keeps)
	return slices.Compact(keeps), nil
}

// nameFamilies gives the families of noise names. A table of densities is named without the folder
// of its file, which may lie elsewhere on another machine.
func (s *searcher) nameFamilies() error {
	given := s.Families
	if len(given) == 0 {
		given = []string{gaussian, "laplace", "logistic"}
	}
	s.Families, s.families = nil, map[string]string{}
	for _, f := range given {
		if _, err := release.ParseNoise(f, 1, 1); err != nil {
			return &measure.OptionError{Option: "Families", Err: err}
		}
		name := f
		if kind, file, ok := strings.Cut(f, ":"); ok {
			name = kind + ":" + filepath.Base(file)
		}
		if s.families[name] != "" {
			return measure.WrongOption("Families", "%s is given twice", name)
		}
		s.families[name], s.Families = f, append(s.Families, name)
	}
	return nil
}

// noise returns noise of a family, by its name, or Gaussian noise.
func (s *searcher) noise(family string, sigma float64, n int) (release.Noise, error) {
	return release.ParseNoise(cmp.Or(s.families[family], gaussian), sigma, n)
}

const gaussian = "gaussian"

// project makes the layer and the head of a line that releases a projection of the features.
func (s *searcher) project(ctx context.Context, c *cut, l *line) error {
	g := shape.Join(shape.Chain("features", []int{c.n}, &nn.Identity{}), c.head)
	layer, head, err := release.Spec{Node: "features", Keep: l.Keep, Projection: string(l.Method), Seed: s.Seed}.Build(ctx, g, c.training)
	l.layer, l.head = layer, func(float64) (*nn.Graph, error) { return head, nil }
	return err
}

// swept searches the lines of a place, one for each family of noise. Its best point is that of the
// cheapest line.
func (s *searcher) swept(ctx context.Context, c *cut, l *line, f *found) error {
	if err := s.paired(ctx, c, l); err != nil {
		return err
	}
	if _, lost, err := l.curve.At(ctx, release.None{}, release.Post{}); err != nil {
		return err
	} else if s.CostOnly() && lost.Interval.High > s.MaxDrop {
		f.Left = fmt.Sprintf("%s: even without noise, accuracy drops by %.2f points (95 %% interval %.2f to %.2f)", l.place, 100*lost.Mean, 100*lost.Interval.Low, 100*lost.Interval.High)
		return nil
	}
	var left []string
	for _, family := range s.Families {
		l.family = family
		unit, err := s.noise(family, 1, l.values.n)
		if err != nil {
			return err
		}
		one, why := &found{}, ""
		if s.MedianStd > 0 && !unit.Certain() {
			why = "no bound can be proved for this noise"
		} else {
			if err := s.along(ctx, c, l, one); err != nil {
				return err
			}
			if one.Best != nil && one.Best.doubt != "" {
				why, one.Best = one.Best.doubt, nil
			}
			for i := range one.Points {
				p := &one.Points[i]
				p.Meets = p.Meets && p.doubt == ""
			}
		}
		if why != "" {
			left = append(left, fmt.Sprintf("%s noise on %s: %s", family, l.place, why))
		}
		f.Points = append(f.Points, one.Points...)
		if one.Best != nil && (f.Best == nil || s.better(one.Best, f.Best)) {
			f.Best = one.Best
		}
		if one.Nearest != nil && (f.Nearest == nil || s.better(one.Nearest, f.Nearest)) {
			f.Nearest = one.Nearest
		}
	}
	f.Left = strings.Join(left, "; ")
	return nil
}

// paired prepares the accuracy of a line: with the same draws at every σ, and compared with the
// model itself example by example.
func (s *searcher) paired(ctx context.Context, c *cut, l *line) error {
	graph, err := l.head(0)
	if err != nil {
		return err
	}
	head, err := nn.NewNet(graph)
	if err != nil {
		return err
	}
	identity, err := nn.NewNet(shape.Chain("released", []int{l.values.n}, &nn.Identity{}))
	if err != nil {
		return err
	}
	if l.curve, err = release.NewCurve(ctx, identity, head, l.values, s.Draws, s.Seed); err == nil {
		l.curve.Against(c.right)
	}
	return err
}

// weighPaired sets the accuracy of a point, and why it is no answer.
func (s *searcher) weighPaired(ctx context.Context, c *cut, l *line, p *Point) error {
	noise, err := s.noise(l.family, p.Sigma, l.values.n)
	if err != nil {
		return err
	}
	u, d, err := l.curve.At(ctx, noise, release.Post{})
	if err != nil {
		return err
	}
	p.Accuracy, p.Drop, p.DropHigh = []float64{u.Released.Fraction}, d.Mean, d.Interval.High
	switch guess := guessing(c); {
	case d.Interval.High < 0:
		p.doubt = fmt.Sprintf("at σ = %.4g the noise raises the accuracy, by %.2f points: the inputs are probably not scaled as the model needs them", p.Sigma, -100*d.Mean)
	case u.Released.Interval.High <= guess:
		p.doubt = fmt.Sprintf("at σ = %.4g the accuracy is %.3g %%, no more than that of guessing the commonest class (%.3g %%)", p.Sigma, 100*u.Released.Fraction, 100*guess)
	}
	return nil
}
