package report

import (
	"fmt"
	"strings"
)

// promiseLead is the verdict on a promise. It is good only where the promise is kept and no
// adversary identifies the input or recognises its class.
func (r *Report) promiseLead() verdictBlock {
	x := r.Promise
	v := verdictBlock{Badge: "Promise not kept", Tone: Bad, Says: r.promiseHeadline(), Tiles: r.promiseTiles()}
	if x.Met {
		v.Badge, v.Tone = "Promise kept", Good
	}
	harm, tone := r.harm()
	if x.Met && harm != "" && !(tone == Warn && x.Limits.Identify > 0 && harm != recognisedBadge) {
		v.Tone = tone
	}
	if r.recogniser() != nil && v.Tone == Good {
		v.Tone = Warn // the promise is about inputs, and an attack recovers their class
	}
	return v
}

// promiseHeadline says in a sentence whether the promise is kept: which limits are missed, by how
// much, and what may help. The tiles have the other figures.
func (r *Report) promiseHeadline() string {
	x := r.Promise
	if x.Released == nil {
		return sentenceOf(r.noneMeets() + "; " + otherChoices)
	}
	s := "this release keeps the promise: " + r.promised()
	if missed, help := r.missed(); len(missed) > 0 {
		s = "this release does not keep the promise: " + and(missed)
		if len(help) > 0 {
			s += "; what may help: " + strings.Join(help, ", or ")
		}
		return sentenceOf(s)
	}
	if a := r.recogniser(); a != nil {
		s += ", but " + r.recognisedSays(a)
	}
	return sentenceOf(s)
}

// missed lists the limits that are not kept, by how much, and what may help.
func (r *Report) missed() (missed, help []string) {
	for _, c := range r.Promise.Checked {
		switch {
		case c.Kept:
			continue
		case c.Lacks != "":
			missed = append(missed, fmt.Sprintf("%s was not measured (limit %s): %s", c.name(), c.print(c.Limit, number), c.Lacks))
		default:
			missed = append(missed, c.name()+" ("+c.against()+")")
		}
		help = append(help, c.help())
	}
	return missed, unique(help)
}
