package measure

import (
	"fmt"
	"path/filepath"
	"strings"

	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// measured returns the release as a report has it: with the noise that was added.
func (q *Request) measured() Release {
	l := q.Release
	l.Spec.Surface, l.Sigma, l.FromTraining = l.Surface(), q.Experiment.Noise.Std(), q.Scaling != nil
	l.HasCovariance = l.Spec.Covariance != nil
	if l.Spec.Keep == 0 {
		l.Projection = ""
	}
	if l.Queries == 1 {
		l.Queries = 0
	}
	return l
}

// Again returns the release that a report has.
func (r Release) Again() Release {
	r.Queries = max(1, r.Queries)
	if r.Label {
		r.Spec.Surface = release.SurfaceLogits
	}
	return r
}

// ReleaseTitle is the title of the report on a release of the model at a path.
func ReleaseTitle(l Release, model string) string {
	give := "give"
	if l.Label {
		give = "gives"
	}
	return fmt.Sprintf("What the %s of %s %s away", l.Surface(), filepath.Base(model), give)
}

// words describe a release: what leaves, with which noise, and what becomes of it.
func (s *Setup) words(noise release.Noise) string {
	l := s.Release
	what := report.Many(s.Features, "feature")
	switch {
	case l.Spec.Keep > 0:
		what = fmt.Sprintf("%s kept of the features (%s)", report.Many(l.Spec.Keep, "number"), l.Projection)
	case l.Spec.Surface == "logits" || l.Spec.Surface == "label":
		what = report.Many(s.Features, "logit")
	case l.Spec.Surface == "probabilities":
		what = fmt.Sprintf("%d class probabilities", s.Features)
	}
	words := what + " of node " + s.Node
	say := func(holds bool, format string, args ...any) {
		if holds {
			words += ", " + fmt.Sprintf(format, args...)
		}
	}
	family, settings, _ := strings.Cut(l.Family, ":")
	say(family == NoNoise, "without noise")
	if family != NoNoise {
		x := fmt.Sprintf("with %s noise of σ = %s", noiseNames[family], report.Exactly(l.Sigma, report.Number))
		if g, ok := noise.(release.Lattice); ok && g.Ball {
			x += fmt.Sprintf(" on multiples of %v", g.Delta)
		} else if ok {
			x += fmt.Sprintf(" on multiples of %v after clipping to ±%v", g.Delta, g.Clip)
		} else if family == "table" {
			x += " (" + filepath.Base(settings) + ")"
		}
		if l.HasCovariance {
			x += " times the covariance of " + CovarianceFile
		}
		say(true, "%s", x)
	}
	say(l.ClipNorm > 0, "their norm clipped to %v", l.ClipNorm)
	say(l.Queries > 1, "%d times for each input", l.Queries)
	say(l.Label, "replaced by the label")
	return words
}

// noiseNames are the families of noise in words.
var noiseNames = map[string]string{"gaussian": "Gaussian", "lattice": "discrete Gaussian", "laplace": "Laplace", "isotropic-laplace": "isotropic Laplace", "table": "tabulated"}
