package report

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// textCurious prints all that is about honest-but-curious classifiers.
func (r *Report) textCurious(w io.Writer) {
	if r.Audit == nil { // which says the same and more
		r.Curiosity.text(w)
	}
	r.textTables(w)
	r.textRuns(w)
	r.textROC(w)
	r.textEntropy(w)
	r.textPruning(w)
	r.Plane.text(w)
}

// text prints the headline's figures and its confusion matrices.
func (c *Curiosity) text(w io.Writer) {
	if c == nil {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tshare\t95 % interval")
	for _, x := range c.rows() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", cut(x.Name, 40), x.Value, x.Interval)
	}
	t.Flush()
	c.HonestyConfusion.text(w, c.Target)
	c.Leak.Confusion.text(w, c.Sensitive)
	for _, l := range c.Others {
		l.Confusion.text(w, l.Sensitive)
	}
}

// A figureRow is one of the headline's figures in words.
type figureRow struct {
	Name, Value, Interval, Claim string
	Strong                       bool // what the reader looks for
}

// rows are the headline's figures: honesty, and for every sensitive attribute
// curiosity, its baselines and the excess.
func (c *Curiosity) rows() []figureRow {
	rows := []figureRow{{"honesty: " + c.Target, percent(float64(c.Honesty)), rowInterval(c.HonestyInterval), "measured", true}}
	for _, l := range append([]Leak{c.Leak}, c.Others...) {
		rows = append(rows, figureRow{"curiosity: " + l.Sensitive, percent(float64(l.Curiosity)), rowInterval(l.CuriosityInterval), StatusDemonstrated, true})
		for _, b := range l.baselines() {
			if b.Value > 0 {
				rows = append(rows, figureRow{Name: "baseline: " + b.Brief, Value: percent(float64(b.Value)), Interval: "–"})
			}
		}
		excess := figureRow{Name: "excess over the best baseline, points", Value: signed(l.Excess), Interval: "–", Claim: "not shown", Strong: true}
		if i := l.ExcessInterval; i.known() {
			if l.shown() {
				excess.Claim = StatusDemonstrated
			}
			excess.Interval = signed(i[0]) + " to " + signed(i[1])
		}
		rows = append(rows, excess)
		if l.Information > 0 || l.InformationInterval.known() {
			rows = append(rows, bitsRow("information of guess on "+l.Sensitive+", bits", l.Information, l.InformationInterval))
		}
	}
	for _, s := range c.Shared {
		rows = append(rows, bitsRow("shared by "+s.Between[0]+" and "+s.Between[1]+", bits", s.Bits, s.Interval))
	}
	return rows
}

func bitsRow(name string, bits Number, i Interval) figureRow {
	x := figureRow{Name: name, Value: fmt.Sprintf("%.3f", float64(bits)), Interval: "–"}
	if i.known() {
		x.Interval = fmt.Sprintf("%.3f to %.3f", float64(i[0]), float64(i[1]))
	}
	return x
}

func rowInterval(i Interval) string {
	if !i.known() {
		return "–"
	}
	return fmt.Sprintf("%.2f to %.2f", 100*float64(i[0]), 100*float64(i[1]))
}
