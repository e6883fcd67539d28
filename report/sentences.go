package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sentences say what was measured, in full: the answer of a design, what was released, what is
// certified, what an attack reached, what it costs; after training alone, what was
// trained and how well it does.
func (r *Report) sentences() []string {
	var said []string
	if r.Training != nil {
		said = append(said, r.Training.sentence())
	}
	if r.Release.Noise.Family == "" && !r.Release.none() {
		if r.Design == nil && !r.aboutCuriosity() {
			said = append(said, fmt.Sprintf("It classifies %s of %s correctly.", percent(float64(r.Utility.CleanAccuracy)), Count(r.Utility.Examples, "held-out example")))
			if r.Training != nil && r.Training.Noise != nil {
				said = append(said, r.Training.Noise.sentence(r.Utility))
			}
		}
	} else {
		said = append(said, r.measured())
		if s := r.fewer(); s != "" {
			said = append(said, s)
		}
		if s := r.demonstrated(); s != "" {
			said = append(said, s)
		}
		first := r.informative()
		if first {
			said = append(said, r.certified())
		}
		if r.Design == nil { // its verdict says the cost
			said = append(said, r.cost())
		}
		if !first { // what says nothing comes last
			said = append(said, r.certified())
		}
	}
	return append(said, r.curious()...)
}

func (r *Report) measured() string {
	noise := r.Release.Noise
	about, of := "", "features"
	if s := r.Release.Surface; s != "" && s != "features" {
		of = "numbers"
	}
	if noise.FromTraining {
		of += " in training data"
	}
	switch s := float64(noise.Scale); {
	case s == 1:
		about = fmt.Sprintf(", the root mean square of these %s,", of)
	case s > 0:
		about = fmt.Sprintf(" (%s times the root mean square of these %s)", number(s), of)
	}
	were := "were"
	if r.Data.Examples == 1 {
		were = "was"
	}
	if r.Release.none() {
		return fmt.Sprintf("No noise was added to the %s, and %s from %s %s examined.%s", r.surface(), Count(r.Data.Examples, "input"), r.Data.Name, were, r.Release.after())
	}
	family := familyName(noise.Family)
	if noise.Settings != "" {
		family += " (" + noise.Settings + ")"
	}
	if noise.Covariance != "" {
		return fmt.Sprintf("%s noise with the covariance of %s was added to the %s, and %s from %s %s examined.%s",
			family, noise.shape(), r.surface(), Count(r.Data.Examples, "input"), r.Data.Name, were, r.Release.after())
	}
	s := fmt.Sprintf("%s noise of standard deviation %s%s was added to each of the %s, and %s from %s %s examined.",
		strings.ToUpper(family[:1])+family[1:], number(noise.Sigma), about, r.surface(), Count(r.Data.Examples, "input"), r.Data.Name, were)
	return s + r.Release.after()
}

// shape says what the covariance is, such as "covariance.npy, times σ² = 2.25,".
func (n Noise) shape() string {
	if n.Sigma == 1 {
		return n.Covariance
	}
	return fmt.Sprintf("%s, times σ² = %s,", n.Covariance, number(n.Sigma*n.Sigma))
}

// surface says in the plural what the noise was added to.
func (r *Report) surface() string {
	n := r.Model.Features
	what := "feature"
	switch r.Release.Surface {
	case "logits", "label":
		what = "logit"
	case "probabilities":
		return fmt.Sprintf("%d class probabilities of the model%s", n, r.Release.heated())
	}
	if p := r.Release.Projection; p != nil {
		return fmt.Sprintf("%s kept of the model's %ss (%s)", Count(p.Keep, "number"), what, projectionWords(p.Kind))
	}
	return Count(n, what) + " of the model" + r.Release.heated()
}

// heated says the temperature where one is set.
func (l Release) heated() string {
	return when(l.Temperature != 0 && l.Temperature != 1, fmt.Sprintf(" (at temperature %s)", number(l.Temperature)))
}

// projections are the kinds of projection in words.
var projections = map[string]string{
	"first":        "the first ones",
	"random":       "a random orthonormal projection",
	"principal":    "their principal directions",
	"discriminant": "the directions that separate the classes",
}

func projectionWords(kind string) string { return cmp.Or(projections[kind], kind) }

// after says what else becomes of the release.
func (l Release) after() string {
	s := ""
	if l.Queries > 1 {
		s = fmt.Sprintf(" Each input is released %d times, with fresh noise.", l.Queries)
		if l.none() {
			s = fmt.Sprintf(" Each input is released %d times.", l.Queries)
		}
	}
	if l.Post == nil {
		return s
	}
	var done []string
	if l.Post.Digits > 0 {
		done = append(done, "rounded to "+Count(l.Post.Digits, "decimal"))
	}
	if l.Post.TopK > 0 {
		done = append(done, fmt.Sprintf("cut to the %d largest", l.Post.TopK))
	}
	if l.Post.Label {
		done = append(done, "replaced by the label they give")
	}
	if len(done) == 0 {
		return s
	}
	s += " Before they leave, the values are " + strings.Join(done, ", ")
	if l.NoBounds != "" {
		return s + "."
	}
	return s + ". The bounds do not depend on that."
}

// families are the families of noise in words.
var families = map[string]string{"gaussian": "Gaussian", "lattice": "discrete Gaussian", "laplace": "Laplace", "table": "tabulated"}

// familyName is a noise family in words.
func familyName(family string) string { return cmp.Or(families[family], family) }

// square reports whether a band is the coarsest n of both directions, as "8x8".
func square(band string) bool {
	rows, columns, ok := strings.Cut(band, "x")
	_, err := strconv.Atoi(rows)
	return ok && rows == columns && err == nil
}

// times prints the band 8x8 as 8×8.
func times(band string) string {
	if square(band) {
		return strings.Replace(band, "x", "×", 1)
	}
	return band
}

func (r *Report) cost() string {
	clean, released := float64(r.Utility.CleanAccuracy), float64(r.Utility.ReleasedAccuracy)
	if math.IsNaN(clean) || math.IsNaN(released) {
		return "The cost in accuracy is unknown: the data have no labels for this model."
	}
	of := ""
	if u := r.Utility; u.Examples > 0 {
		of = " of " + Count(u.Examples, "labelled input")
		if u.Draws > 0 && !r.Release.none() {
			of += fmt.Sprintf(", with %s of the noise each", Count(u.Draws, "draw"))
		}
	}
	if r.Release.none() && clean == released {
		return fmt.Sprintf("The release costs no accuracy: it stays at %s%s.", percent(clean), of)
	}
	return fmt.Sprintf("The cost: accuracy goes from %s to %s%s.", percent(clean), percent(released), of)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
