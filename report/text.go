package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"tattle/bound"
)

// Sentences says what was measured in three plain sentences: what was released,
// what is certified, what it costs; after training alone, what was trained and
// how well it does.
func (r *Report) Sentences() []string {
	var trained []string
	if r.Training != nil {
		trained = []string{r.Training.sentence()}
	}
	if r.Release.Noise.Family == "" {
		return append(trained, fmt.Sprintf("It classifies %s of %d held-out examples correctly.", percent(float64(r.Utility.CleanAccuracy)), r.Utility.Examples))
	}
	return append(trained, r.measured(), r.certified(), r.cost())
}

func (r *Report) measured() string {
	noise := r.Release.Noise
	scale := ""
	if s := float64(noise.Scale); !math.IsNaN(s) && s > 0 {
		scale = fmt.Sprintf(" (%s times the root mean square of the features)", number(s))
	}
	return fmt.Sprintf("%s noise of standard deviation %s%s was added to the %d %s of the model, and %d inputs from %s were examined.",
		strings.ToUpper(noise.Family[:1])+noise.Family[1:], number(noise.Sigma), scale, r.Model.Features, r.Release.Surface, r.Data.Examples, r.Data.Name)
}

func (r *Report) certified() string {
	all, low := r.strongest(true), r.strongest(false)
	if all == nil {
		return "Nothing is certified here: no witness gave a bound."
	}
	s := fmt.Sprintf("Certified: half of the %s cannot be reconstructed by any unbiased adversary with a standard deviation under %s",
		coordinateWords(all.Coordinates), r.inLevels(all))
	if low != nil {
		s += fmt.Sprintf("; of the %s coarsest, half not under %s", low.Band, r.inLevels(low))
	}
	return s + ". An adversary who knows what the inputs usually look like is biased, and may do better."
}

// strongest returns the certified row per coordinate with the largest median,
// over all coordinates or over a low band.
func (r *Report) strongest(all bool) *bound.Summary {
	var best *bound.Summary
	for i := range r.Bounds {
		b := &r.Bounds[i]
		if b.Status != bound.StatusCertified || b.Method == bound.MethodMeanSquare || (b.Band == "all") != all {
			continue
		}
		if best == nil || b.Quantile(.5) > best.Quantile(.5) {
			best = b
		}
	}
	return best
}

// coordinateWords says in the plural what is bounded.
func coordinateWords(name string) string {
	switch name {
	case "dct":
		return "cosine modes of the inputs"
	case "pixels":
		return "pixels"
	}
	return "coordinates " + name
}

func (r *Report) inLevels(b *bound.Summary) string {
	m := b.Quantile(.5)
	if g := float64(r.Data.GreyLevels); g > 0 && !math.IsInf(m, 0) {
		return fmt.Sprintf("%s (%s grey levels of 255)", number(m), number(m*g))
	}
	return number(m)
}

func (r *Report) cost() string {
	clean, released := float64(r.Utility.CleanAccuracy), float64(r.Utility.ReleasedAccuracy)
	if math.IsNaN(clean) || math.IsNaN(released) {
		return "What the noise costs in accuracy is not known: the data have no labels for this model."
	}
	return fmt.Sprintf("The price: accuracy goes from %s to %s.", percent(clean), percent(released))
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	e := &errWriter{w: w}
	fmt.Fprintf(e, "%s\n\n", r.Title)
	for _, s := range r.Sentences() {
		fmt.Fprintf(e, "%s\n", s)
	}
	fmt.Fprintln(e)
	r.textBounds(e)
	if res := r.Resolvable; res != nil {
		fmt.Fprintf(e, "\nrank of the Jacobian: median %s (%d to %d) of %d inputs\n", number(res.RankMedian), res.RankMin, res.RankMax, res.Inputs)
		for i, t := range res.Thresholds {
			fmt.Fprintf(e, "directions resolved to within %-5s %s\n", number(t), number(res.DirectionsMedian[i]))
		}
	}
	r.textPublished(e)
	for _, s := range r.Warnings {
		fmt.Fprintf(e, "\nwarning: %s\n", s)
	}
	if r.Verdict != "" {
		fmt.Fprintf(e, "\nverdict: %s\n", r.Verdict)
	}
	return e.err
}

func (r *Report) textBounds(w io.Writer) {
	if len(r.Bounds) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "bound\tclaim\tband\t5%\t25%\t50%\t75%\t95%\tunbounded")
	for _, x := range r.rows() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", x.Name, x.Status, x.Band, strings.Join(x.Quantiles, "\t"), x.Unbounded)
	}
	t.Flush()
}

func (r *Report) textPublished(w io.Writer) {
	if len(r.Published) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "quantity\tpublished\there\tauthors' procedure, here")
	var notes []string
	for _, c := range r.Published {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Quantity, number(float64(c.Published)), number(float64(c.Ours)), number(float64(c.AsPublished)))
		if c.Note != "" && !slices.Contains(notes, c.Note) {
			notes = append(notes, c.Note)
		}
	}
	t.Flush()
	for _, n := range notes {
		fmt.Fprintf(w, "\nwhy they differ: %s\n", n)
	}
}

// errWriter keeps the first error, so that a sequence of prints checks once.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.w.Write(p)
	e.err = err
	return n, err
}
