package report

import (
	"fmt"
	"strings"
)

// identified says what whoever holds a list can name.
func (r *Report) identified() string {
	if r.Lists == nil || r.Lists.Holder == nil {
		return ""
	}
	h := r.Lists.Holder
	return fmt.Sprintf("An adversary with a list of %s (%s) names the input in %s of releases (certified with 99.9 %% confidence: between %s and %s; guessing: %s). No adversary who knows nothing more than this list, the model and the noise does better.",
		CountGrouped(h.List.Inputs, "candidate"), listWords(h.List), percent1(h.First.Mean), percentDown(h.First.Low), percentUp(h.First.High), percentOrLess(1/float64(h.List.Inputs)))
}

// floored says below which error nobody comes.
func (r *Report) floored() string {
	if r.Lists == nil {
		return ""
	}
	p := r.Lists.EverySample()
	if p == nil {
		return ""
	}
	floor := r.inUnit(p.Floors[0].Anybody)
	if floorCell(floor, r.closeness()[0].prior) == "none" {
		return fmt.Sprintf("Nothing is certified against adversaries who know what inputs look like: %s of %s prove no floor at this noise.", CountGrouped(p.List.Inputs, "input"), p.List.Name)
	}
	s := fmt.Sprintf("Certified with 99.9 %% confidence: no adversary who knows the distribution of inputs and nothing more errs by less than %s %s, root mean square over inputs like those of %s.", AtLeastNumber(floor), r.unit(), p.List.Name)
	return s
}

// adds says in which bands the release adds nothing to what is known without it.
func (r *Report) adds(rows []closeness) string {
	var none []string
	for _, c := range rows {
		if c.anybody >= .95*c.prior {
			none = append(none, c.band)
		}
	}
	if len(none) == 0 {
		return ""
	}
	return "In these bands nobody can come more than 5 % closer than guessing the mean does without the release: " + strings.Join(none, ", ") + "."
}

// listMeaning says whom these figures bind and what they rest on.
func (r *Report) listMeaning() string {
	p := r.Lists.EverySample()
	s := "These limits hold for every adversary with that knowledge, biased or not, on average over inputs and noise: a single input can be easier. Who knows more about an input can come closer."
	if p != nil {
		s += fmt.Sprintf(" Floors for everybody rest on two conditions that this run cannot check: the %s of %s are independent draws from the distribution of inputs, and the model was not trained on them.", CountGrouped(p.List.Inputs, "input"), p.List.Name)
		if n := r.Lists.Shared; n > 0 {
			s += fmt.Sprintf(" %s of them equal training inputs or candidates, so the second condition does not hold for these.", CountGrouped(n, "input"))
		}
		if r.Data.GreyLevels <= 0 {
			s += " They also take the range of these data for the range of all inputs."
		}
	}
	return s
}

// concludeLists puts first in the verdict what whoever holds a list can name, where that is most inputs.
func (r *Report) concludeLists() {
	if r.Lists == nil || r.Lists.Holder == nil || r.Lists.Holder.First.Low < .5 {
		return
	}
	h := r.Lists.Holder
	r.Conclude(Named, fmt.Sprintf("input identified: whoever holds a list of %s names the input in %s of releases; %s", CountGrouped(h.List.Inputs, "candidate"), percent1(h.First.Mean), r.Verdict))
}
