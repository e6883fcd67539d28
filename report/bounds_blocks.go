package report

import (
	"fmt"
	"path/filepath"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/npy"
)

// bounds adds what is proved, estimated and demonstrated of a release, in folded sections.
func (d *document) bounds(r *Report) {
	d.attacks(r)
	d.floors(r)
	d.pairs(r)
	d.pairFloors(r)
	d.gallery(r)
	d.histograms(r)
	d.boundRows(r)
	d.methods(r)
	d.directions(r)
}

// histograms adds the bounds taken together.
func (d *document) histograms(r *Report) {
	if len(r.Histograms) == 0 {
		return
	}
	d.on(onPage, func(d *document) {
		d.folded("Histograms of the bounds")
		d.say("Lower bounds on the standard deviation of any unbiased estimate of one coordinate, " + r.units() + ", over " + r.tried(r.Data.Examples) + ".")
		var all sideBySide
		for _, h := range r.Histograms {
			all = append(all, chart{Caption: h.Title, Tag: h.Status, SVG: h.draw()})
		}
		d.add(all)
	})
}

// boundRows adds a table of the bounds, those of one standing of a claim together.
func (d *document) boundRows(r *Report) {
	if len(r.unbiased()) == 0 {
		return
	}
	d.folded("Bounds for unbiased estimators, in figures")
	t := table{
		Says:  "Lower bounds on the standard deviation of unbiased estimates, " + r.units() + ", as quantiles over coordinates and inputs. Unbounded: the share of coordinates with a bound of a million units or more (Cramér-Rao: with a part that does not change the features).",
		Heads: []string{"bound", "band", "domain", "5%", "25%", "50%", "75%", "95%", "unbounded"},
	}
	for _, status := range statuses {
		if rows := r.rows(status); len(rows) > 0 {
			t.add(status)
			t.Rows = append(t.Rows, rows...)
		}
	}
	d.table(t)
	d.say(r.sought(), r.rounded(), r.computed())
	for _, n := range r.nothings() {
		d.say("Vacuous (" + n.Value + "): " + n.Key + ".")
	}
}

// attacks adds what attacks reached.
func (d *document) attacks(r *Report) {
	if len(r.Attacks)+len(r.PriorAlone) == 0 {
		return
	}
	d.folded("The attacks")
	t := table{Says: "Errors in " + r.unit() + " over " + r.over(append(r.Attacks[:len(r.Attacks):len(r.Attacks)], r.PriorAlone...)[0]) + ".",
		Heads: []string{"attack", "band", "error", "closer", "class recognised"}, Words: []int{3}}
	t.Rows = r.attackRows()
	d.table(t)
	d.settings(r.abouts())
}

// directions adds how many directions of an input an unbiased adversary can resolve.
func (d *document) directions(r *Report) {
	res := r.Resolvable
	if res == nil {
		return
	}
	d.folded("Directions of the input that change the features")
	d.say(fmt.Sprintf("Estimated: numerical rank of the Jacobian, median %s (%d to %d) of %d. Unbiased estimates exist only along these directions. This does not limit biased adversaries.",
		number(res.RankMedian), res.RankMin, res.RankMax, res.Inputs))
	if r.Spectrum != nil {
		d.chart(chart{Caption: "Standard deviation per direction, median and 90 % band", Tag: bound.StatusEstimated, SVG: r.Spectrum.draw(res.Thresholds)})
	}
	t := table{Says: "Directions that can be resolved to within a standard deviation (medians over " + r.tried(r.Data.Examples) + ").", Heads: []string{"standard deviation at most", "directions"}}
	for i, at := range res.Thresholds {
		t.add(number(at), number(res.DirectionsMedian[i]))
	}
	d.table(t)
}

// published writes the paper's figure, and whether it was read off a picture.
func (c Comparison) published() string {
	s := number(float64(c.Published))
	if c.ReadOff {
		s += " (read off)"
	}
	return s
}

// published adds the paper's figures beside ours.
func (d *document) published(r *Report) {
	if len(r.Published) == 0 {
		return
	}
	d.section("Published figures beside ours")
	t := table{Says: "authors': by their procedure, run here. (read off): from a picture of the paper, which prints no number.", Heads: []string{"quantity", "published", "here", "authors'"}}
	var notes []string
	for _, c := range r.Published {
		t.add(c.Quantity, c.published(), number(float64(c.Ours)), number(float64(c.AsPublished)))
		if c.Note != "" {
			notes = append(notes, "Why they differ: "+c.Note)
		}
	}
	d.table(t)
	for _, n := range unique(notes) {
		d.say(n)
	}
}

// setBounds reports on bounds, and draws their histograms. vectors is the file of the
// coordinates, nil for built-in ones; data is nil if the data are absent.
func (r *Report) setBounds(res *bound.Result, data *dataset.Set, vectors *Arrays) {
	r.Experiment, r.Coordinates, r.Vectors = &res.Experiment.Settings, res.Experiment.Coordinates.Name(), vectors
	if vectors != nil {
		r.Coordinates = "vectors"
	}
	r.Bounds = res.Summaries
	r.Arrays = []Arrays{{File: filepath.Base(res.Path), SHA256: res.SHA256}}
	if data != nil {
		r.Data.Range, r.Data.Stored = rangeOf(data), stored(data)
	}
	r.setFigures(res)
}

// setMidRange compares floors with guessing the middle of the data's range, where
// guessing the mean of training data was not measured. It reads the inputs from the
// arrays, as verify does.
func (r *Report) setMidRange(res *bound.Result) error {
	if len(r.PriorAlone) > 0 || res == nil || r.Data.Range == nil {
		return nil
	}
	c := res.Experiment.Coordinates
	legal, err := recordedRange(r.Data.Range, []int{c.Inputs()})
	if err != nil {
		return err
	}
	f, err := npy.Open(res.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	theta, shape, err := f.Float64s("theta")
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[1] != c.Inputs() {
		return fmt.Errorf("%s: array %q has shape %v, expected [examples, %d]", res.Path, "theta", shape, c.Inputs())
	}
	r.MidRange = attackRows(&measure.Attacks{}, measure.MiddleErrors(theta, legal, c), c, res.Experiment.Band)
	r.ComparePrior()
	return nil
}
