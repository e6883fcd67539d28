package measure

import (
	"fmt"
	"path/filepath"
	"strings"

	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// ReleaseSetup is a Release as JSON.
type ReleaseSetup struct {
	Surface      string        `json:"surface"`
	Noise        string        `json:"noise"` // family and settings, as release.ParseNoise reads them
	Sigma        float64       `json:"sigma"`
	FromTraining bool          `json:"noise_from_training,omitempty"` // strength or clip were computed from the features of training data
	Projection   string        `json:"projection,omitempty"`
	Keep         int           `json:"keep,omitempty"`
	ClipNorm     float64       `json:"clip_norm,omitempty"`
	Temperature  float64       `json:"temperature,omitempty"`
	Post         *release.Post `json:"post,omitempty"`
	Queries      int           `json:"queries,omitempty"` // 0 is 1
}

// releaseSetup describes a release with its noise.
func (q *Request) releaseSetup() ReleaseSetup {
	l := q.Release
	s := ReleaseSetup{
		Surface: l.Surface(), Noise: l.Family, Sigma: q.Experiment.Noise.Std(), FromTraining: q.Scaling != nil,
		Temperature: l.Spec.Temperature, ClipNorm: l.Spec.ClipNorm,
	}
	if l.Spec.Keep > 0 {
		s.Projection, s.Keep = l.Spec.Projection, l.Spec.Keep
	}
	if l.Post != (release.Post{}) {
		s.Post = &l.Post
	}
	if l.Queries > 1 {
		s.Queries = l.Queries
	}
	return s
}

// Of returns the release that was measured. seed is that of the run.
func (s ReleaseSetup) Of(seed uint64) Release {
	l := Release{Sigma: s.Sigma, Queries: max(1, s.Queries), Family: s.Noise}
	l.Spec = release.Spec{Surface: s.Surface, Temperature: s.Temperature, Seed: seed, Projection: s.Projection, Keep: s.Keep, ClipNorm: s.ClipNorm}
	if s.Post != nil {
		l.Post = *s.Post
	}
	if l.Post.Label {
		l.Spec.Surface = release.SurfaceLogits
	}
	return l
}

// ReleaseTitle is the title of the report on a release of the model at a path.
func ReleaseTitle(l Release, model string) string {
	give := "give"
	if l.Post.Label {
		give = "gives"
	}
	return fmt.Sprintf("What the %s of %s %s away", l.Surface(), filepath.Base(model), give)
}

// words describe a release: what leaves, with which noise, and what becomes of it.
func (s *Setup) words(noise release.Noise) string {
	l := s.Release
	what := report.Many(s.Features, "feature")
	switch {
	case l.Keep > 0:
		what = fmt.Sprintf("%s kept of the features (%s)", report.Many(l.Keep, "number"), l.Projection)
	case l.Surface == "logits" || l.Surface == "label":
		what = report.Many(s.Features, "logit")
	case l.Surface == "probabilities":
		what = fmt.Sprintf("%d class probabilities", s.Features)
	}
	words := what + " of node " + s.Node
	say := func(holds bool, format string, args ...any) {
		if holds {
			words += ", " + fmt.Sprintf(format, args...)
		}
	}
	family, settings, _ := strings.Cut(l.Noise, ":")
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
		say(true, "%s", x)
	}
	say(l.ClipNorm > 0, "their norm clipped to %v", l.ClipNorm)
	say(l.Temperature != 0 && l.Temperature != 1, "at temperature %v", l.Temperature)
	say(l.Queries > 1, "%d times for each input", l.Queries)
	if p := l.Post; p != nil {
		say(p.Digits > 0, "rounded to %s", report.Many(p.Digits, "decimal"))
		say(p.TopK > 0, "cut to the %d largest", p.TopK)
		say(p.Label, "replaced by the label")
	}
	return words
}

// noiseNames are the families of noise in words.
var noiseNames = map[string]string{"gaussian": "Gaussian", "lattice": "discrete Gaussian", "laplace": "Laplace", "isotropic-laplace": "isotropic Laplace", "table": "tabulated"}
