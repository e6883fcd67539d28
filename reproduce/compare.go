package reproduce

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"tattle/bound"
	"tattle/internal/file"
	"tattle/report"
	"tattle/stat"
)

// The figure's files in a run's folder.
const (
	arraysFile = "arrays.npz"
	reportFile = "report.json"
)

// Compare sets the figure's runs beside what the paper has: its accuracies, its histograms,
// and, for the comparison, the results of its method. ours are by size, those of the first
// run first; theirs are of the authors' procedure, nil if it did not run.
func (f Figure) Compare(r *report.Report, ours []*bound.Result, theirs *bound.Result) {
	if f.Name == Comparison {
		f.compareMethods(r, ours[0], theirs)
		return
	}
	f.compareAccuracy(r)
	switch {
	case len(f.Peaks) == 0:
		for _, res := range ours {
			compareDrawn(r, res)
		}
	case f.hasPublished():
		f.comparePeaks(r, ours[0], theirs)
	}
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
	if f.hasPublished() && f.Name != Comparison && len(ours.Sizes) != len(f.Peaks) {
		return fmt.Errorf("%s: %d sizes, where %s has %d", dir, len(ours.Sizes), f.Name, len(f.Peaks))
	}
	f.Compare(r, all, theirs)
	return nil
}

// reload reads the bounds of a further run.
func reload(dir string, further Further) (*bound.Result, error) {
	x := further.Experiment
	if !further.Authors() { // the search was chosen by the time that it takes
		document, err := file.ReadFile(filepath.Join(dir, reportFile))
		if err != nil {
			return nil, err
		}
		r, err := report.ParseJSON(document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, reportFile), err)
		}
		if e := r.Experiment; e != nil {
			x.Search.Search = e.Search.Search
		}
	}
	return bound.Load(filepath.Join(dir, arraysFile), x)
}

// compareMethods sets every bound and attack beside the results of A's method.
func (f Figure) compareMethods(r *report.Report, ours, theirs *bound.Result) {
	var bounds []bound.Summary
	var notes []bound.Note
	if theirs != nil {
		bounds = theirs.Summaries
		if n, of := len(theirs.Indices), len(ours.Indices); n < of {
			notes = []bound.Note{{Kind: bound.NoteFirst, Examples: n, Of: of}}
		}
	}
	r.SetMethods(bounds, notes)
}

func (f Figure) compareAccuracy(r *report.Report) {
	none := report.Number(math.NaN())
	r.Published = append(r.Published,
		report.Comparison{Quantity: "accuracy, clean", Published: report.Number(f.Clean), Ours: r.Utility.CleanAccuracy, AsPublished: none},
		report.Comparison{Quantity: "accuracy, with noise", Published: report.Number(f.Noisy), Ours: r.Utility.ReleasedAccuracy, AsPublished: none})
}

// Notes on the comparison of histograms.
const (
	whySearch = "the weights differ, and so does the search. The paper's program solves one LSQR for a whole stack of images and stops it early, " +
		"which damps the small singular values. This changes the peak little, but the median and the upper tail much, " +
		"and less at s = 1/1000, where its tolerance is smaller."
	whyPeak = "the peaks of Figure 1 were read off its pictures; the paper prints no numbers of them. " +
		"Its peaks at s = 1/1000 are higher than those at 1/200. In float32, exp(x) - 1 has an error of up to 3.5 % there, " +
		"and the maximum over restarts makes this an overestimate. That is a small part of the difference; what causes the rest is not known."
)

// comparePeaks sets the peaks of the histograms beside the paper's, and beside those of the
// authors' procedure on some of the images (theirs, unless nil).
func (f Figure) comparePeaks(r *report.Report, ours, theirs *bound.Result) {
	x := ours.Experiment
	all := x.Coordinates.Len()
	low := x.Coordinates.Band(x.Band)
	add := func(quantity, note string, published, ours, theirs float64) {
		r.Published = append(r.Published, report.Comparison{
			Quantity: quantity, Published: report.Number(published), ReadOff: !math.IsNaN(published),
			Ours: report.Number(ours), AsPublished: report.Number(theirs), Note: note,
		})
	}
	for i, p := range f.Peaks {
		std, size := ours.Sizes[i].Std, "s = "+report.Fraction(p.Size)
		same, other := std, []float64(nil)
		if theirs != nil {
			other = theirs.Sizes[i].Std
			same = std[:len(other)]
			size += " (theirs: " + report.Count(len(theirs.Indices), "image") + ")"
		}
		add("peak, all modes, "+size, whyPeak, p.All, peak(std), peak(other))
		add("peak, 8×8 modes, "+size, whyPeak, p.Low, peak(bound.Band{Keep: low}.Of(std, all)), peak(bound.Band{Keep: low}.Of(other, all)))
		if theirs != nil {
			size = strings.Replace(size, "theirs", "both", 1)
			add("median, all modes, "+size, whySearch, math.NaN(), median(same), median(other))
			add("median, 8×8 modes, "+size, whySearch, math.NaN(), median(bound.Band{Keep: low}.Of(same, all)), median(bound.Band{Keep: low}.Of(other, all)))
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

// drawnOnly is the note on comparisons with histograms that the paper only draws.
const drawnOnly = "the weights and the pictures are not the paper's; of its histograms it prints no numbers"

// compareDrawn reports where the histograms that the paper draws are highest here, and their
// medians.
func compareDrawn(r *report.Report, res *bound.Result) {
	x, none := res.Experiment, report.Number(math.NaN())
	add := func(what string, std []float64) {
		for _, q := range []struct {
			name string
			ours float64
		}{{"peak, ", drawnPeak(std)}, {"median, ", median(std)}} {
			r.Published = append(r.Published, report.Comparison{Quantity: q.name + what, Published: none, Ours: report.Number(q.ours), AsPublished: none, Note: drawnOnly})
		}
	}
	low := x.Coordinates.Band(x.Band)
	for _, s := range res.Sizes {
		size := fmt.Sprintf(", s = %s, i = %d", report.Fraction(s.Size), x.Search.Repeats)
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
	return float64(report.NewHistogram("", x).Peak)
}
