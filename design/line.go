package design

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"tattle/measure"
	"tattle/nn"
	"tattle/release"
)

// front is one way of choosing what is dithered, whatever the noise.
type front struct {
	spec     release.Spec
	net      *nn.Net // inputs to what is dithered
	tail     *nn.Net // features to what is dithered; nil if that is the features
	head     *nn.Net // what is released to logits
	keep     int
	curve    *release.Curve
	spectrum *spectrum
	attack   attacker     // nil unless a target asks for it
	lost     release.Drop // to the projection alone
}

// attacker returns the mean-square error of an attack at a σ, which grows with σ.
type attacker interface{ MeanSquareAt(sigma float64) float64 }

// name says what is kept, such as "98 principal features".
func (f *front) name() string { return kept(f.spec.Projection, f.keep) }

func kept(projection string, keep int) string {
	if projection == "" {
		return fmt.Sprintf("all %d features", keep)
	}
	return fmt.Sprintf("%d features (%s)", keep, projection)
}

// line is a family of noise on a front.
type line struct {
	*front
	family string
	kappa  float64 // σ_eff/σ: 1/√Fisher of the family at σ = 1
	proves bool    // bounds under this noise can be certified
}

func newLine(f *front, family string) (*line, error) {
	unit, err := release.ParseNoise(family, 1, f.keep)
	if err != nil {
		return nil, err
	}
	return &line{front: f, family: family, kappa: 1 / math.Sqrt(unit.Fisher()), proves: unit.Certain()}, nil
}

func (l *line) String() string { return lineName(l.family, l.spec.Projection, l.keep) }

func lineName(family, projection string, keep int) string {
	return familyName(family) + " on " + kept(projection, keep)
}

// familyName is a family without the folder of its file, if it has one.
func familyName(family string) string {
	name, file, ok := strings.Cut(family, ":")
	if !ok {
		return family
	}
	return name + ":" + filepath.Base(file)
}

// places are the specs to be tried: all features first, then by number, descending.
// n is the number of features.
func places(o Options, node string, n int, trained bool) ([]release.Spec, error) {
	keeps, err := o.keeps(n)
	if err != nil {
		return nil, err
	}
	projections, err := o.projections(trained)
	if err != nil {
		return nil, err
	}
	var specs []release.Spec
	for _, keep := range keeps {
		if keep == n {
			specs = append(specs, release.Spec{Node: node})
			continue
		}
		for _, kind := range projections {
			specs = append(specs, release.Spec{Node: node, Keep: keep, Projection: kind, Seed: o.Seed})
		}
	}
	return specs, nil
}

// keeps returns the numbers of features, descending, each once.
func (o Options) keeps(n int) ([]int, error) {
	keeps := slices.Clone(o.Keeps)
	for i, k := range keeps {
		switch {
		case k < 0 || k > n:
			return nil, measure.WrongOption("Keeps", "%d features: give a number from 1 to the %d there are, or 0 for all", k, n)
		case k == 0:
			keeps[i] = n
		}
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

func (o Options) projections(trained bool) ([]string, error) {
	if len(o.Projections) == 0 {
		if trained {
			return []string{"principal", "random"}, nil
		}
		return []string{"random"}, nil
	}
	for _, kind := range o.Projections {
		switch kind {
		case "first", "random":
		case "principal":
			if !trained {
				return nil, measure.WrongOption("Projections", "principal projections are fitted to training data: give those, or leave them out")
			}
		default:
			return nil, measure.WrongOption("Projections", "projection %q: give first, random or principal", kind)
		}
	}
	return o.Projections, nil
}
