package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/file"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// The figure's files in a run's folder.
const (
	arraysFile = "arrays.npz"
	reportFile = "report.json"
)

// Compare sets the figure's runs beside what the paper has: its accuracies, its histograms,
// and, for the comparison, the results of its method. ours are by size, those of the first
// run first; theirs are of the authors' procedure, nil if it did not run. What the report says
// first is then how near both are.
func (f Figure) Compare(r *report.Report, ours []*bound.Result, theirs *bound.Result) error {
	s, err := measure.SetupOf(r)
	if err != nil {
		return err
	}
	s.Figure = f.Name
	r.SetRequest(s)
	switch {
	case f.Name == Comparison:
		compareMethods(r, ours[0], theirs)
		return nil
	case len(f.Peaks) == 0:
		f.compareAccuracy(r)
		for _, res := range ours {
			compareDrawn(r, res)
		}
	default:
		f.compareAccuracy(r)
		if f.hasPublished() {
			f.comparePeaks(r, ours[0], theirs)
		} else if err := compareThresholded(r); err != nil {
			return err
		}
	}
	near, printed := 0, 0
	for _, c := range r.Claims {
		if c.ID == publishedID && len(c.Beside) > 0 && c.Beside[0].Name == "published" {
			printed++
			if x := c.Beside[0].Value.X; math.Abs(c.Value.X-x) <= .1*math.Abs(x) {
				near++
			}
		}
	}
	r.Add(report.Claim{ID: "published.near", Kind: report.Measured, Value: report.Exactly(float64(near), report.Count)},
		report.Claim{ID: "published.printed", Kind: report.Measured, Value: report.Exactly(float64(printed), report.Count)})
	r.Findings = append([]report.Finding{{Code: "published"}}, r.Findings...)
	return nil
}

// publishedID is the ID of claims that are set beside published figures.
const publishedID = "published"

// compared adds a figure beside the published one and that of the authors' procedure; NaN: there is none. The claim is
// recomputed from the arrays.
func compared(r *report.Report, quantity string, u report.Unit, published, ours, theirs float64) {
	c := report.Claim{ID: publishedID, Subject: quantity, Kind: report.Measured, Value: report.Exactly(ours, u)}
	for _, b := range []report.Beside{{Name: "published", Value: report.Exactly(published, u)}, {Name: "authors'", Value: report.Exactly(theirs, u)}} {
		if !math.IsNaN(b.Value.X) {
			c.Beside = append(c.Beside, b)
		}
	}
	r.Add(c)
}

// Again makes the comparison of a finished run in dir again, of which ours is the first.
func (f Figure) Again(r *report.Report, dir string, ours *bound.Result) error {
	all, theirs := []*bound.Result{ours}, (*bound.Result)(nil)
	for _, further := range f.Further(ours.Experiment, true) {
		sub := further.In(dir)
		if _, err := os.Stat(filepath.Join(sub, reportFile)); err != nil && further.Authors() {
			continue
		}
		res, err := reload(sub, further)
		switch {
		case err != nil:
			return err
		case !further.Authors():
			all = append(all, res)
			continue
		case len(res.Indices) > len(ours.Indices):
			return fmt.Errorf("%s: more examples than the run beside it", sub)
		}
		theirs = res
	}
	if f.hasPublished() && f.Name != Comparison && len(ours.Near()) != len(f.Peaks) {
		return fmt.Errorf("%s: %d sizes, where %s has %d", dir, len(ours.Near()), f.Name, len(f.Peaks))
	}
	return f.Compare(r, all, theirs)
}

// reload reads the bounds of a further run.
func reload(dir string, further Further) (*bound.Result, error) {
	x := further.Experiment
	if !further.Authors() { // the search was chosen by the time that it takes
		document, err := file.ReadFile(filepath.Join(dir, reportFile))
		if err != nil {
			return nil, err
		}
		r, err := report.Parse(document)
		var s *measure.Setup
		if err == nil {
			s, err = measure.SetupOf(r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, reportFile), err)
		}
		if s.Bounds != nil {
			x.Search.Search = s.Bounds.Search.Search
		}
	}
	return bound.Load(filepath.Join(dir, arraysFile), x)
}

// A methodRow is one kind of bound, or an attack: its medians over all coordinates and over the low band, or for whole
// inputs a root mean square.
type methodRow struct {
	name     string
	kind     report.Kind
	examples int
	all, low float64 // NaN: not known
}

// compareMethods sets every bound and attack beside the results of A's method on the same inputs.
func compareMethods(r *report.Report, ours, theirs *bound.Result) {
	for _, of := range []struct{ group, suffix, first string }{{"per coordinate", "", bound.MethodHCR}, {"per input, rms", "-mean-square", bound.MethodMeanSquare}} {
		var rows []methodRow
		if theirs != nil {
			for _, row := range boundRows(theirs.Summaries, of.suffix) {
				if strings.HasPrefix(row.name, measure.BoundName(bound.Summary{Method: of.first})) { // and the size
					row.name = "the authors' procedure"
					rows = append(rows, row)
				}
			}
		}
		authors := len(rows)
		rows = append(rows, boundRows(ours.Summaries, of.suffix)...)
		if of.suffix == "" {
			rows = append(rows, attackRows(r)...)
		}
		for i, row := range rows {
			claim := func(id string, x float64, u report.Unit) {
				if !math.IsNaN(x) {
					r.Add(report.Claim{ID: id, Subject: of.group, Group: row.name, Kind: row.kind, Value: report.Exactly(x, u), N: row.examples})
				}
			}
			claim("method", row.all, report.Number)
			claim("method.low", row.low, report.Number)
			if authors > 0 && i > 0 {
				claim("method.ratio_authors", row.ratio(rows[0]), "×")
			}
			if authors < len(rows) {
				claim("method.ratio", row.ratio(rows[authors]), "×")
			}
		}
	}
	if n := len(ours.Indices); theirs != nil && len(theirs.Indices) < n {
		r.Find("published.some", "", fmt.Sprint(len(theirs.Indices)), fmt.Sprint(n))
	}
}

// ratio is how many times another median over the same examples a row's is; NaN if that is not known.
func (x methodRow) ratio(other methodRow) float64 {
	if other.examples != x.examples || !(other.all > 0) || math.IsInf(x.all, 0) {
		return math.NaN()
	}
	return x.all / other.all
}

// boundRows are the kinds of bounds, whose methods end in a suffix, of the first size.
func boundRows(all []bound.Summary, suffix string) (rows []methodRow) {
	at := map[string]int{}
	for _, b := range all {
		if b.Pair() || strings.HasSuffix(b.Method, "-mean-square") != (suffix != "") {
			continue
		}
		name := measure.BoundName(b)
		k, ok := at[name]
		if !ok {
			k = len(rows)
			at[name] = k
			rows = append(rows, methodRow{name, report.Kind(b.Status), b.Examples, math.NaN(), math.NaN()})
		}
		if b.Band == bound.AllBand {
			rows[k].all = b.Quantile(.5)
		} else {
			rows[k].low = b.Quantile(.5)
		}
	}
	return rows
}

// attackRows are the attacks, and guessing without the release, in the report.
func attackRows(r *report.Report) (rows []methodRow) {
	at := map[string]int{}
	for _, c := range r.Claims {
		if c.ID != measure.MedianErrorID {
			continue
		}
		k, ok := at[c.Group]
		if !ok {
			k = len(rows)
			at[c.Group] = k
			rows = append(rows, methodRow{"attack: " + c.Group, c.Kind, c.N, math.NaN(), math.NaN()})
		}
		if c.Subject == bound.AllBand {
			rows[k].all = c.Value.X
		} else {
			rows[k].low = c.Value.X
		}
	}
	return rows
}

func (f Figure) compareAccuracy(r *report.Report) {
	for _, x := range []struct {
		id, quantity string
		published    float64
	}{{"accuracy.clean", "accuracy, clean", f.Clean}, {"accuracy", "accuracy, with noise", f.Noisy}} {
		if c := r.Claim(x.id, ""); c != nil {
			compared(r, x.quantity, report.Share, x.published, c.Value.X, math.NaN())
		}
	}
}

// comparePeaks sets the peaks of the histograms beside the paper's, and beside those of the
// authors' procedure on some of the images (theirs, unless nil).
func (f Figure) comparePeaks(r *report.Report, ours, theirs *bound.Result) {
	x := ours.Experiment
	all := x.Coordinates.Len()
	low := x.Coordinates.Band(x.Band)
	r.Find("published.peaks", "")
	if theirs != nil {
		r.Find("published.search", "")
	}
	for i, p := range f.Peaks {
		std, size := ours.Near()[i].Std, "s = "+measure.Fraction(p.Size)
		same, other := std, []float64(nil)
		if theirs != nil {
			other = theirs.Near()[i].Std
			same = std[:len(other)]
			size += " (theirs: " + report.Many(len(theirs.Indices), "image") + ")"
		}
		compared(r, "peak (read off), all modes, "+size, report.Number, p.All, peak(std), peak(other))
		compared(r, "peak (read off), 8×8 modes, "+size, report.Number, p.Low, peak(bound.Band{Keep: low}.Of(std, all)), peak(bound.Band{Keep: low}.Of(other, all)))
		if theirs != nil {
			size = strings.Replace(size, "theirs", "both", 1)
			compared(r, "median, all modes, "+size, report.Number, math.NaN(), median(same), median(other))
			compared(r, "median, 8×8 modes, "+size, report.Number, math.NaN(), median(bound.Band{Keep: low}.Of(same, all)), median(bound.Band{Keep: low}.Of(other, all)))
		}
	}
}

func median(x []float64) float64 { return stat.Quantiles(x, .5)[0] }

// peakWidth is the bin in which a histogram's peak is searched for: A's Figure 1 can be read
// to about this.
const peakWidth = 0.02

// peak returns the middle of the fullest bin, NaN for no values.
func peak(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	h := stat.NewHistogram(stat.Edges(0, 4, int(4/peakWidth)))
	h.Add(x...)
	return h.Mode()
}

// compareDrawn reports where the histograms that the paper draws are highest here, and their
// medians.
func compareDrawn(r *report.Report, res *bound.Result) {
	x := res.Experiment
	add := func(what string, std []float64) {
		for _, q := range []struct {
			name string
			ours float64
		}{{"peak, ", drawnPeak(std)}, {"median, ", median(std)}} {
			compared(r, q.name+what, report.Number, math.NaN(), q.ours, math.NaN())
		}
	}
	if !r.Has("published.drawn") {
		r.Find("published.drawn", "")
	}
	low := x.Coordinates.Band(x.Band)
	for _, s := range res.Near() {
		size := fmt.Sprintf(", s = %s, i = %d", measure.Fraction(s.Size), x.Search.Repeats)
		add("all modes"+size, s.Std)
		add(fmt.Sprintf("%d×%d modes%s", x.Band, x.Band, size), bound.Band{Keep: low}.Of(s.Std, x.Coordinates.Len()))
	}
}

// drawnPeak is the middle of the fullest of the bins in which the report draws x.
func drawnPeak(x []float64) float64 {
	top := stat.Quantiles(x, .96)[0]
	if !(top > 0) || math.IsInf(top, 0) {
		return math.NaN()
	}
	return measure.Histogram(x).Mode()
}
