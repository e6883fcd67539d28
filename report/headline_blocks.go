package report

import (
	"fmt"
)

// headline adds the figures of the run that the report is about.
func (d *document) headline(r *Report) {
	c := r.Curiosity
	t := table{
		Says:  fmt.Sprintf("Honesty: the share of %s that are answered correctly. Curiosity: the share whose sensitive attribute an attack guesses correctly from the outputs. 95 %% intervals.", Count(c.Examples, "test example")),
		Heads: []string{"figure", "share", "95 % interval", "claim"}, Words: []int{3}, Page: []string{"claim"},
	}
	if len(r.overSeeds()) > 0 {
		t.Note = fmt.Sprintf("Of seed %d alone.", r.Seed)
	}
	for _, x := range c.rows() {
		t.add(x.Name, x.Value, x.Interval, x.Claim)
		t.Kinds = append(t.Kinds, map[bool]string{true: "strong"}[x.Strong])
	}
	d.section("Honest, and how curious")
	d.table(t)
	d.on(onPage|onMarkdown, func(d *document) { d.soft(notSafety) })
	d.confusion(c.HonestyConfusion, "What the classifier answers: "+c.Target)
	for _, l := range append([]Leak{c.Leak}, c.Others...) {
		d.confusion(l.Confusion, "What the attack guesses from its outputs: "+l.Sensitive)
	}
}

// confusion adds a matrix's counts with their shares of the row.
func (d *document) confusion(c *Confusion, title string) {
	const fits = 6 // classes on a terminal
	if c == nil {
		return
	}
	name := func(i int) string {
		if i < len(c.Classes) {
			return c.Classes[i]
		}
		return fmt.Sprint(i)
	}
	build := func(shares bool) table {
		t := table{Name: title, Says: "Rows are the true class, columns the guess; counts.", Heads: []string{""}}
		for i, counts := range c.Counts {
			t.Heads = append(t.Heads, cut(name(i), 12))
			total, _ := histogramTotals(counts)
			cells := []string{name(i)}
			for _, k := range counts {
				s := fmt.Sprint(k)
				if shares {
					s += "\n" + percent1(float64(k)/float64(max(1, total)))
				}
				cells = append(cells, s)
			}
			t.add(cells...)
		}
		return t
	}
	d.on(onPage|onMarkdown, func(d *document) { d.table(build(true)) })
	if len(c.Counts) <= fits {
		d.on(onTerminal, func(d *document) { d.table(build(false)) })
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
		rows = append(rows, bitsRow("shared by "+s.Between[0]+" and "+s.Between[1]+", bits", Number(s.Bits), Between(s.Interval)))
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
