package report

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.Must(template.Must(template.Must(template.New("page").Funcs(template.FuncMap{
	"num":      func(x any) string { return number(toFloat(x)) },
	"opt":      func(x Number) string { return number(float64(x)) },
	"percent":  func(x Number) string { return percent(float64(x)) },
	"interval": interval,
	"inc":      func(i int) int { return i + 1 },
	"times":    times,
	"family":   familyName,
	"count":    Count,
}).Parse(pageSource)).Parse(curiousSource)).Parse(auditSource)).Parse(studySource))

// view is what the page shows beyond the report's own fields.
type view struct {
	*Report
	Folder      string
	Sentences   []string
	Kinds       map[string]string
	Charts      []chartView
	Rows        []row
	SpectrumSVG template.HTML
	Thresholds  []threshold
	Bracketed   *bracketView
	Axis        string
	AttackRows  []attackRow
	Abouts      []pair
	LadderParts []ladderPart
	LadderNotes []pair
	Frontier    *frontierView
	Curious     *curiousView
	Audited     *auditView
	Studied     *studyView
	SettingRows []Setting
	Times       []pair
}

type chartView struct {
	Title, Status string
	SVG           template.HTML
	Rows          []bin
}

type bin struct{ From, To, Count string }

type threshold struct {
	At, Count float64
	Said      string // the count with its error
}

type pair = Setting

// WriteHTML writes the report as one file that needs nothing else: no script,
// no font, no network. folder is what `tattle verify` is to be given.
func (r *Report) WriteHTML(w io.Writer, folder string) error {
	r = r.shown()
	v := view{Report: r, Folder: folder, Sentences: unbreakable(r.Sentences()), Kinds: r.kinds()}
	for _, status := range statuses {
		v.Rows = append(v.Rows, r.rows(status, longName)...)
	}
	for _, h := range r.Histograms {
		v.Charts = append(v.Charts, chartView{h.Title, h.Status, h.draw(), h.bins()})
	}
	if r.Resolvable != nil {
		for i, t := range r.Resolvable.Thresholds {
			v.Thresholds = append(v.Thresholds, threshold{t, r.Resolvable.DirectionsMedian[i], r.Resolvable.Directions(i)})
		}
		if r.Spectrum != nil {
			v.SpectrumSVG = r.Spectrum.draw(r.Resolvable.Thresholds)
		}
	}
	v.AttackRows, v.Abouts = r.attackRows(), r.abouts()
	v.addLadder()
	v.addBracket()
	v.addFrontier()
	v.Curious = r.newCurious()
	v.Audited = r.newAudit()
	v.Studied = r.newStudy()
	v.SettingRows = r.SettingRows()
	for _, k := range slices.Sorted(maps.Keys(r.Timing)) {
		v.Times = append(v.Times, pair{"time: " + k, fmt.Sprintf("%.1f s", float64(r.Timing[k]))})
	}
	return page.Execute(w, &v)
}

// shown is the report with what comes from outside and is shown as it is made
// printable.
func (r *Report) shown() *Report {
	x := *r
	for _, s := range []*string{&x.Title, &x.Command, &x.Model.Path, &x.Data.Name, &x.Data.Path} {
		*s = printable(*s)
	}
	x.Warnings, x.Data.Notes = printables(r.Warnings), printables(r.Data.Notes)
	if r.Settings != nil {
		x.Settings = map[string]string{}
		for k, v := range r.Settings {
			x.Settings[printable(k)] = printable(v)
		}
	}
	return &x
}

func printables(s []string) []string {
	var out []string
	for _, x := range s {
		out = append(out, printable(x))
	}
	return out
}

// unbreakable keeps figures on one line: a number and its percent sign, a mean and
// its deviation.
func unbreakable(sentences []string) []string {
	out := make([]string, len(sentences))
	for i, s := range sentences {
		out[i] = whole.Replace(s)
	}
	return out
}

var whole = strings.NewReplacer(" %", "\u00a0%", " ± ", "\u00a0±\u00a0")

// Image is the original as a data URI.
func (p Picture) Image() template.URL { return dataURI(p.source, p.SHA256) }

// Image is the reconstruction as a data URI.
func (s Shot) Image() template.URL { return dataURI(s.pixels, s.SHA256) }

// dataURI returns a picture as a data URI, or its digest where the report was read from a
// file and has no picture.
func dataURI(b []byte, digest string) template.URL {
	if b == nil {
		return template.URL("sha256:" + digest)
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b))
}

func (h Histogram) bins() []bin {
	var bins []bin
	for i, k := range h.Counts {
		to := "and above"
		if i+1 < len(h.Edges) {
			to = fmt.Sprintf("%.3g", h.Edges[i+1])
		}
		bins = append(bins, bin{fmt.Sprintf("%.3g", h.Edges[i]), to, fmt.Sprint(k)})
	}
	return bins
}

// kinds says of each kind of claim how many the report makes: "None" or
// "3 bounds".
func (r *Report) kinds() map[string]string {
	count := map[string]int{}
	for _, b := range r.Bounds {
		count[b.Status]++
	}
	count[StatusDemonstrated] += len(r.Attacks)
	words := map[string]string{}
	for _, k := range statuses {
		switch n := count[k]; n {
		case 0:
			words[k] = "None"
		case 1:
			words[k] = "One row"
		default:
			words[k] = fmt.Sprintf("%d rows", n)
		}
	}
	return words
}

// Fraction prints 0.005 as 1/200 where that is exact enough to be meant.
func Fraction(s float64) string {
	if n := math.Round(1 / s); n >= 2 && math.Abs(1/n-s) < 1e-12 {
		return fmt.Sprintf("1/%.0f", n)
	}
	return number(s)
}

func toFloat(x any) float64 {
	switch v := x.(type) {
	case float64:
		return v
	case Number:
		return float64(v)
	case int:
		return float64(v)
	}
	return math.NaN()
}

// number prints three significant digits, or a dash for what is not known.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "unbounded"
	case x != 0 && math.Abs(x) < .001:
		return fmt.Sprintf("%.2e", x)
	case math.Abs(x) >= 1e6:
		return fmt.Sprintf("%.2e", x)
	case math.Abs(x) >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// AtLeastNumber is number of a lower bound, rounded down.
func AtLeastNumber(x float64) string { return number(toDigits(x, math.Floor)) }

// atMostNumber is number of an upper bound, rounded up.
func atMostNumber(x float64) string { return number(toDigits(x, math.Ceil)) }

// toDigits rounds to the digits that number prints.
func toDigits(x float64, round func(float64) float64) float64 {
	size := math.Abs(x)
	if !(size > 0) || math.IsInf(size, 1) {
		return x
	}
	digits := 2 - int(math.Floor(math.Log10(size)))
	if size >= 1000 && size < 1e6 {
		digits = 0
	}
	if n := math.Pow10(min(max(digits, -300), 300)); math.Abs(x*n-math.Round(x*n)) > 1e-9*math.Abs(x*n) {
		return round(x*n) / n
	}
	return x
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*x)
}

func interval(i [2]float64) string { return percent(i[0]) + " – " + percent(i[1]) }
