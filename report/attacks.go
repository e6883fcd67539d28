package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"tattle/bound"
)

// StatusDemonstrated marks what an attack that ran has reached.
const StatusDemonstrated = "demonstrated"

// Attack is how near one attack came in one band: the root mean square error of
// each coordinate over draws of the noise, as quantiles over examples and
// coordinates. It is a ceiling: whoever runs it errs so much and no more.
type Attack struct {
	Name        string `json:"name"`
	About       string `json:"about"` // one sentence: what it knows, how it was trained
	Coordinates string `json:"coordinates"`
	Band        string `json:"band"` // "all", or the low band as "8x8"

	// RMSQuantiles maps "0.05", "0.25", … to quantiles, as bound.Summary does.
	RMSQuantiles map[string]*float64 `json:"rms_quantiles"`
	MeanSquare   Number              `json:"mean_square"` // per input coordinate, mean over examples and draws, normalised units squared
	Examples     int                 `json:"examples"`
	Draws        int                 `json:"draws"`
	Status       string              `json:"status"` // StatusDemonstrated
}

// Quantile returns the quantile of that level, NaN where there is none.
func (a Attack) Quantile(level float64) float64 {
	return bound.Summary{StdQuantiles: a.RMSQuantiles}.Quantile(level)
}

// textAttacks prints what attacks reached, van Trees beside them. What each knew
// is left to the page where a bracket says the most of them.
func (r *Report) textAttacks(w io.Writer) {
	if len(r.Attacks) == 0 {
		return
	}
	folded := r.folded()
	fmt.Fprintln(w)
	intro := "Errors of attacks that ran, in the same units, root mean square over draws:"
	switch {
	case len(r.Bounds) == 0:
		intro = "Errors of attacks that ran, root mean square, " + r.units() + ":"
	case r.Bracket != nil:
		intro = "Errors of attacks that ran (report.html says what each knew), in those units:"
	}
	wrap(w, intro)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tband\t5%%\t25%%\t50%%\t75%%\t95%%\trms\n", StatusDemonstrated)
	for _, x := range folded.attackRows() {
		if x.Status == StatusDemonstrated || r.Bracket == nil {
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", x.Name, x.Band, strings.Join(x.Quantiles, "\t"), x.Whole)
		}
	}
	t.Flush()
	if r.Bracket != nil && len(r.Bounds) > 0 {
		return
	}
	for _, s := range r.abouts() {
		wrap(w, s.Key+": "+s.Value)
	}
	wrap(w, r.biased())
}

// biased is what a reader of the attacks must know.
func (r *Report) biased() string {
	if len(r.Bounds) == 0 {
		return attacksAlone
	}
	if slices.ContainsFunc(r.Bounds, func(b bound.Summary) bool { return b.Method == bound.MethodVanTrees }) {
		return attacksBiased + " van Trees' bound holds for them too, on average, as far as its assumption does."
	}
	return attacksBiased
}

// attacksAlone is what a reader of errors without bounds must know.
const attacksAlone = "No bound stands beside these errors: they are what these attacks reached, and a better one may come closer."

// attacksBiased is what a reader of errors beside bounds must know.
const attacksBiased = "These attacks are biased: they know what such inputs look like. They may err less than a bound on unbiased reconstructions, which is no contradiction."

// An attackRow is an Attack, or van Trees' bound beside it, in words.
type attackRow struct {
	Name, Status, Band, Whole string
	Quantiles                 []string
}

// attackRows are the attacks and van Trees' bounds, band by band.
func (r *Report) attackRows() []attackRow {
	var rows []attackRow
	for _, band := range r.attackBands() {
		for _, a := range r.Attacks {
			if a.Band == band {
				x := attackRow{Name: a.Name, Status: StatusDemonstrated, Band: times(band), Whole: number(math.Sqrt(float64(a.MeanSquare)))}
				for _, q := range bound.QuantileLevels {
					x.Quantiles = append(x.Quantiles, number(a.Quantile(q)))
				}
				rows = append(rows, x)
			}
		}
		for _, b := range r.Bounds {
			if b.Method == bound.MethodVanTrees && b.Band == band {
				x := attackRow{Name: "van Trees' bound", Status: b.Status, Band: times(band), Whole: r.vanTreesWhole(band)}
				for _, q := range bound.QuantileLevels {
					x.Quantiles = append(x.Quantiles, "≥"+number(b.Quantile(q)))
				}
				rows = append(rows, x)
			}
		}
	}
	return rows
}

func (r *Report) attackBands() []string {
	var bands []string
	for _, a := range r.Attacks {
		bands = append(bands, a.Band)
	}
	return unique(bands)
}

// vanTreesWhole is van Trees' bound on the root mean square error of an input.
func (r *Report) vanTreesWhole(band string) string {
	for _, b := range r.Bounds {
		if b.Method == bound.MethodVanTreesMeanSquare && b.Band == band {
			return "≥" + number(b.Quantile(.5))
		}
	}
	return number(math.NaN())
}

// sentenceOf is words with a capital letter and a full stop.
func sentenceOf(s string) string {
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}

// abouts say of each attack, once, what it knew and how often it ran.
func (r *Report) abouts() []pair {
	var said []pair
	for _, a := range r.Attacks {
		ran := Count(a.Examples, "input")
		if !r.Release.none() {
			ran += fmt.Sprintf(", %s of the noise each", Count(a.Draws, "draw"))
		}
		about := ran + ". " + sentenceOf(a.About)
		if p := (pair{a.Name, about}); !slices.Contains(said, p) {
			said = append(said, p)
		}
	}
	return said
}
