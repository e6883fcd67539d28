package report

import (
	"fmt"
	"math"

	"tattle/bayes"
	"tattle/bound"
	"tattle/design"
	"tattle/measure"
)

// checkedLimits compares every limit of the promise with the figures of the report.
func (r *Report) checkedLimits() []CheckedLimit {
	l := r.Design.Limits
	var all []CheckedLimit
	add := func(limit float64, c CheckedLimit) {
		if limit > 0 {
			c.Limit = limit
			all = append(all, c.judged())
		}
	}
	add(l.Identify, r.checkHolder(LimitIdentify, func(h *measure.ListHolder) bayes.Limit { return h.First }))
	add(l.Identify, r.checkHidden())
	add(l.Bits, r.checkHolder(LimitBits, func(h *measure.ListHolder) bayes.Limit { return h.Bits }))
	floor, attack := r.checkFloor(), r.checkAttacks()
	add(r.inUnit(l.Floor*l.Floor), floor)
	add(r.inUnit(l.Attack*l.Attack), attack)
	for _, p := range l.Protect {
		add(p.Accuracy, r.checkRight(p))
		add(p.AUC, r.checkInferred(LimitArea, p, func(in *measure.InferredLimit) *bayes.Limit { return in.AUC }))
		add(p.Bits, r.checkInferred(LimitKnown, p, func(in *measure.InferredLimit) *bayes.Limit {
			if in.Given == nil {
				return nil
			}
			return &in.Given.Bits
		}))
	}
	add(r.Design.MaxDrop, CheckedLimit{Kind: LimitDrop, Figure: r.Design.DropInterval[1], Mean: r.Design.Drop})
	return all
}

// judged sets whether the limit is kept: never without a figure.
func (c CheckedLimit) judged() CheckedLimit {
	if c.Lacks != "" {
		c.Figure, c.Mean = Number(math.NaN()), Number(math.NaN())
	}
	if c.Kind.least() {
		c.Kept = float64(c.Figure) >= c.Limit
	} else {
		c.Kept = float64(c.Figure) <= c.Limit
	}
	return c
}

// lacksHolder says why the limits for adversaries with the list say nothing about the promise;
// empty if they do.
func (r *Report) lacksHolder() string {
	if r.Lists == nil || r.Lists.Holder == nil {
		return "no limits for adversaries with a list were computed"
	}
	list, want := r.Lists.Holder.List, r.Design.Limits.Candidates
	if want == 0 {
		want = list.Of
	}
	if have := list.Inputs + list.Merged; have != want {
		return fmt.Sprintf("the list has %s, the promise is about %s", Count(have, "candidate"), grouped(want))
	}
	return r.lacksQueries()
}

// lacksQueries says that fewer releases of an input were measured than the promise is about;
// empty if not.
func (r *Report) lacksQueries() string {
	if have, want := max(r.Release.Queries, 1), max(r.Design.Queries, 1); have < want {
		return fmt.Sprintf("%s of an input was measured, the promise is about %d", Count(have, "release"), want)
	}
	return ""
}

func (r *Report) checkHolder(kind LimitKind, of func(*measure.ListHolder) bayes.Limit) CheckedLimit {
	c := CheckedLimit{Kind: kind, Lacks: r.lacksHolder()}
	if c.Lacks == "" {
		f := of(r.Lists.Holder)
		c.Figure, c.Mean = Number(f.High), Number(estimate(r.Lists, f))
	}
	return c
}

// checkHidden takes how often new inputs are identified among the candidates.
func (r *Report) checkHidden() CheckedLimit {
	c := CheckedLimit{Kind: LimitHidden, Lacks: r.lacksHolder()}
	switch {
	case c.Lacks != "":
	case r.Lists.Hidden == nil:
		c.Lacks = "no new inputs were hidden among the candidates"
	default:
		c.Figure, c.Mean = Number(r.Lists.Hidden.First.High), Number(r.Lists.Hidden.First.Mean)
	}
	return c
}

// checkFloor takes the floor over whole inputs for adversaries without a list.
func (r *Report) checkFloor() CheckedLimit {
	c := CheckedLimit{Kind: LimitFloor, Unit: r.unit(), Lacks: r.lacksQueries(), Mean: Number(math.NaN())}
	if c.Lacks != "" {
		return c
	}
	c.Lacks = "no floor for adversaries without a list was computed"
	if r.Lists == nil || r.Lists.EverySample() == nil {
		return c
	}
	for _, f := range r.Lists.EverySample().Floors {
		if f.Band == bound.AllBand {
			c.Lacks, c.Figure = "", Number(max(0, math.Nextafter(r.inUnit(f.Anybody), 0)))
		}
	}
	return c
}

// checkAttacks takes the attack with the smallest error over whole inputs.
func (r *Report) checkAttacks() CheckedLimit {
	c := CheckedLimit{Kind: LimitAttack, Unit: r.unit(), Lacks: r.lacksQueries()}
	best := r.bestAttack()
	switch {
	case c.Lacks != "":
	case best == nil:
		c.Lacks = "no attack ran"
	default:
		c.Of, c.Figure = best.Name, Number(r.inUnit(best.MeanSquare))
		c.Mean = c.Figure
	}
	return c
}

// checkRight takes the larger of the limits on right guesses with and without the list.
func (r *Report) checkRight(p design.Protect) CheckedLimit {
	c := r.checkInferred(LimitRight, p, func(in *measure.InferredLimit) *bayes.Limit { return &in.Right })
	if c.Lacks != "" {
		return c
	}
	var anybody *measure.InferredLimit
	if s := r.Lists.EverySample(); s != nil {
		anybody = inferredOf(s.Inferred, p.Attribute)
	}
	if anybody == nil || anybody.Anybody == 0 {
		c.Lacks = "no limit for adversaries without a list was computed"
		return c
	}
	c.Figure = max(c.Figure, Number(anybody.Anybody))
	return c
}

func (r *Report) checkInferred(kind LimitKind, p design.Protect, of func(*measure.InferredLimit) *bayes.Limit) CheckedLimit {
	c := CheckedLimit{Kind: kind, Of: p.Attribute, Lacks: r.lacksHolder()}
	if c.Lacks != "" {
		return c
	}
	var f *bayes.Limit
	if in := inferredOf(r.Lists.Holder.Inferred, p.Attribute); in != nil {
		f = of(in)
	}
	if f == nil {
		c.Lacks = "it was not computed"
		return c
	}
	c.Figure, c.Mean = Number(f.High), Number(estimate(r.Lists, *f))
	return c
}

// inferredOf returns the limits on an attribute, or nil.
func inferredOf(all []measure.InferredLimit, attribute string) *measure.InferredLimit {
	for i := range all {
		if all[i].Name == attribute {
			return &all[i]
		}
	}
	return nil
}
