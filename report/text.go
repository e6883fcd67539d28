package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

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
		return append(trained, fmt.Sprintf("It classifies %s of %s correctly.", percent(float64(r.Utility.CleanAccuracy)), Count(r.Utility.Examples, "held-out example")))
	}
	return append(trained, r.measured(), r.certified(), r.cost())
}

func (r *Report) measured() string {
	noise := r.Release.Noise
	scale := ""
	switch s := float64(noise.Scale); {
	case s == 1:
		scale = ", the root mean square of these features,"
	case s > 0:
		scale = fmt.Sprintf(" (%s times the root mean square of these features)", number(s))
	}
	were := "were"
	if r.Data.Examples == 1 {
		were = "was"
	}
	return fmt.Sprintf("%s noise of standard deviation %s%s was added to each of the %s of the model, and %s from %s %s examined.",
		strings.ToUpper(noise.Family[:1])+noise.Family[1:], number(noise.Sigma), scale, Count(r.Model.Features, "feature"), Count(r.Data.Examples, "input"), r.Data.Name, were)
}

func (r *Report) certified() string {
	all, low := r.strongest(true), r.strongest(false)
	if all == nil {
		return "Nothing is certified here: no witness gave a bound."
	}
	s := fmt.Sprintf("Certified: for half of the %s, %s", coordinateWords(all.Coordinates), r.claim(all))
	if low != nil {
		s += fmt.Sprintf("; for half of the %s coarsest, %s", strings.ReplaceAll(low.Band, "x", "×"), r.claim(low))
	}
	return s + ". An adversary who knows what the inputs usually look like is biased, and may do better."
}

// claim says what the median of a row means for an adversary.
func (r *Report) claim(b *bound.Summary) string {
	m := b.Quantile(.5)
	switch {
	case m == 0:
		return "the witnesses prove nothing (a vacuous bound of 0)"
	case math.IsInf(m, 1):
		return "the witnesses leave no finite limit to the error of any unbiased reconstruction"
	}
	vacuous := ""
	if r.Vacuous(m) {
		vacuous = ", which is vacuous"
	}
	return fmt.Sprintf("every unbiased reconstruction errs with a standard deviation of at least %s%s", r.inLevels(m), vacuous)
}

// Vacuous tells whether a bound says nothing: a reconstruction within a grey
// level of the original is the original.
func (r *Report) Vacuous(std float64) bool {
	g := float64(r.Data.GreyLevels)
	return std == 0 || g > 0 && std*g < 1
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
	return "vectors of " + name
}

func (r *Report) inLevels(m float64) string {
	if g := float64(r.Data.GreyLevels); g > 0 {
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

// width is how many columns a terminal is sure to have.
const width = 80

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	e := &errWriter{w: w}
	fmt.Fprintf(e, "%s\n\n", r.Title)
	for _, s := range r.Sentences() {
		wrap(e, s)
	}
	r.textBounds(e)
	r.textDirections(e)
	r.textPublished(e)
	if len(r.Warnings) > 0 {
		fmt.Fprintln(e)
	}
	for _, s := range r.Warnings {
		wrap(e, "warning: "+s)
	}
	if r.Verdict != "" {
		fmt.Fprintln(e)
		wrap(e, "verdict: "+r.Verdict)
	}
	return e.err
}

// wrap prints a paragraph in lines of width columns, the second and later ones
// indented.
func wrap(w io.Writer, s string) {
	column := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			fmt.Fprint(w, "\n  ")
			column = 2
		default:
			fmt.Fprint(w, " ")
			column++
		}
		fmt.Fprint(w, word)
		column += n
	}
	fmt.Fprintln(w)
}

// textBounds prints a table of the bounds for each standing of a claim, and what
// its short names mean.
func (r *Report) textBounds(w io.Writer) {
	if len(r.Bounds) == 0 {
		return
	}
	unit := ""
	if g := float64(r.Data.GreyLevels); g > 0 {
		unit = fmt.Sprintf(" (one is %s grey levels of 255)", number(g))
	}
	fmt.Fprintln(w)
	wrap(w, "Lower bounds on standard deviations, in the model's normalised units"+unit+", at these quantiles over examples and coordinates:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, status := range statuses {
		if rows := r.rows(status, shortName); len(rows) > 0 {
			fmt.Fprintf(t, "%s\tband\t5%%\t25%%\t50%%\t75%%\t95%%\tunbounded\n", status)
			for _, x := range rows {
				fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", x.Name, x.Band, strings.ReplaceAll(strings.Join(x.Quantiles, "\t"), "unbounded", "∞"), x.Unbounded)
			}
		}
	}
	t.Flush()
	for _, s := range r.legend() {
		wrap(w, s)
	}
}

func (r *Report) textDirections(w io.Writer) {
	res := r.Resolvable
	if res == nil {
		return
	}
	fmt.Fprintf(w, "\nestimated: rank of the Jacobian, median %s (%d to %d) of %s\n", number(res.RankMedian), res.RankMin, res.RankMax, Count(res.Inputs, "input"))
	for i, t := range res.Thresholds {
		fmt.Fprintf(w, "  directions resolved to within %-5s %s\n", number(t), number(res.DirectionsMedian[i]))
	}
}

func (r *Report) textPublished(w io.Writer) {
	if len(r.Published) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "quantity\tpublished\there\tauthors'")
	var notes []string
	for _, c := range r.Published {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Quantity, number(float64(c.Published)), number(float64(c.Ours)), number(float64(c.AsPublished)))
		if c.Note != "" && !slices.Contains(notes, c.Note) {
			notes = append(notes, c.Note)
		}
	}
	t.Flush()
	wrap(w, "authors': by their procedure, run here.")
	for _, n := range notes {
		wrap(w, "why they differ: "+n)
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
