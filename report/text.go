package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// width is how many columns a terminal is sure to have.
const width = 80

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	e := &errWriter{w: w}
	wrap(e, r.Title)
	fmt.Fprintln(e)
	for _, s := range r.Sentences() {
		wrap(e, s)
	}
	for _, s := range r.Data.Notes {
		wrap(e, "data: "+s)
	}
	r.Design.text(e)
	r.textAudit(e)
	r.textStudy(e)
	r.textCurious(e)
	r.textBracket(e)
	r.textPairs(e)
	r.textBounds(e)
	r.textAttacks(e)
	r.textLadder(e)
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
	for i, word := range words(s) {
		word = printable(word)
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

// words splits a paragraph where lines may break: not before a percent sign, nor
// about ±.
func words(s string) []string {
	var out []string
	for _, w := range strings.Fields(s) {
		n := len(out)
		if n > 0 && (strings.HasPrefix(w, "%") || w == "±" || strings.HasSuffix(out[n-1], " ±")) {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

// wrapSome prints a paragraph where there is one.
func wrapSome(w io.Writer, s string) {
	if s != "" {
		wrap(w, s)
	}
}

// textBounds prints a table of the bounds for each standing of a claim, and what
// its short names mean. Where a bracket shows the bands, rows of one band and of
// whole inputs are left to the page.
func (r *Report) textBounds(w io.Writer) {
	if len(r.Bounds) == 0 {
		return
	}
	folded := r.folded()
	fmt.Fprintln(w)
	wrap(w, "Lower bounds on standard deviations, "+r.units()+", at these quantiles over coordinates and "+r.tried(r.Data.Examples)+", or as many of them as are in brackets:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, status := range statuses {
		if rows := folded.rows(status, shortName); len(rows) > 0 {
			fmt.Fprintf(t, "%s\tband\tdomain\t5%%\t25%%\t50%%\t75%%\t95%%\tunbounded\n", status)
			for _, x := range rows {
				fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", x.Name, x.Band, x.Domain, strings.Join(x.Quantiles, "\t"), x.Unbounded)
			}
		}
	}
	t.Flush()
	legend := folded.legend()
	if r.Bracket == nil {
		legend = append(legend, r.coordinates())
	} else if len(r.Bounds) > len(folded.Bounds) {
		legend = append(legend, "Low bands and whole inputs: in report.html.")
	}
	wrap(w, strings.Join(legend, " "))
	wrapSome(w, strings.TrimSpace(r.Experiment.sought()+" "+r.Experiment.Rounded()+" "+r.Experiment.Computed()))
	r.textNothings(w)
}

// units says in what the tables are.
func (r *Report) units() string {
	if g := float64(r.Data.GreyLevels); g > 0 {
		return fmt.Sprintf("in the model's normalised units (one is %s grey levels of 255)", number(g))
	}
	return "in the model's normalised units"
}

// folded is the report without the rows that a terminal has no room for.
func (r *Report) folded() *Report {
	if r.Bracket == nil {
		return r
	}
	short := *r
	short.Bounds, short.Attacks, short.PriorAlone = nil, nil, nil
	short.MidRange = nil
	for _, b := range r.Bounds {
		if b.Band == "all" && !meanSquare(b.Method) {
			short.Bounds = append(short.Bounds, b)
		}
	}
	for _, a := range r.Attacks {
		if a.Band == "all" {
			short.Attacks = append(short.Attacks, a)
		}
	}
	if a := r.priorAlone("all"); a != nil {
		short.PriorAlone = []Attack{*a}
	}
	if a := rowOfBand(r.MidRange, "all"); a != nil {
		short.MidRange = []Attack{*a}
	}
	return &short
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
