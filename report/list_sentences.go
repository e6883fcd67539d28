package report

import (
	"fmt"
	"strings"

	"tattle/measure"
)

// listSays are the limits on every adversary in sentences.
func (r *Report) listSays() []string {
	return []string{r.identified(), r.hidden(), r.floored(), r.exposedSays()}
}

// identified says how often an adversary with a list identifies the input.
func (r *Report) identified() string {
	if r.Lists == nil || r.Lists.Holder == nil {
		return ""
	}
	h := r.Lists.Holder
	who, guessing := fmt.Sprintf("An adversary with a list of %s (%s) identifies the input", Count(h.List.Inputs, "candidate"), listWords(h.List)), percentOrLess(1/float64(h.List.Inputs))
	if r.Lists.Processed {
		return fmt.Sprintf("%s in at most %s of releases (certified with 99.9 %% confidence; guessing: %s). This limit is for the noisy values before post-processing. The release may reveal less.", who, percentUp(h.First.High), guessing)
	}
	best := "No adversary who knows only this list, the model and the noise does better."
	if h.List.Uneven() > 0 {
		best = "No adversary who knows only this list, the model and the noise does better, if all different inputs of the list are equally likely. One who knows how often each of them occurs may."
	}
	return fmt.Sprintf("%s in %s of releases (certified with 99.9 %% confidence: between %s and %s; guessing: %s). "+best,
		who, percentOf(h.First.Mean), percentDown(h.First.Low), percentUp(h.First.High), guessing)
}

// hidden says how often an input that is no candidate, hidden among them, is identified.
func (r *Report) hidden() string {
	if r.Lists == nil || r.Lists.Hidden == nil {
		return ""
	}
	h := r.Lists.Hidden
	return fmt.Sprintf("New inputs (%s), hidden one by one among %s of this list, are identified in %s of releases (limits with 99.9 %% confidence: %s to %s), by an adversary who takes all inputs of the list to be equally likely. One who knows which of them the model was trained on may do better.",
		listWords(h.List), Count(h.Inputs-1, "candidate"), percentOf(h.First.Mean), percentDown(h.First.Low), percentUp(h.First.High))
}

// floored states the floor for adversaries without a list.
func (r *Report) floored() string {
	if r.Lists == nil {
		return ""
	}
	p := r.Lists.EverySample()
	if p == nil {
		return ""
	}
	floor := r.closeness()[0].anybody
	if floor.none() {
		return fmt.Sprintf("No floor is certified for adversaries who know the distribution of inputs: at this noise, %s of %s do not prove one.", Count(p.List.Inputs, "input"), p.List.Name)
	}
	return fmt.Sprintf("Certified with 99.9 %% confidence: an adversary who knows only the distribution of inputs errs by at least %s %s, root mean square over inputs like those of %s.", atLeastNumber(floor.value), r.unit(), p.List.Name)
}

// uninformativeBands lists the bands in which the release adds almost nothing to guessing the mean.
func (r *Report) uninformativeBands(rows []closeness) string {
	var none []string
	for _, c := range rows {
		if c.anybody.value >= .95*c.anybody.prior {
			none = append(none, c.band)
		}
	}
	return when(len(none) > 0, "In each of these bands the floor for adversaries without a list, certified with 99.9 % confidence each, is at least 95 % of the error of guessing the mean, without the release, for the same inputs: "+strings.Join(none, ", ")+".")
}

// listMeaning says which adversaries these figures limit, and under which conditions.
func (r *Report) listMeaning() string {
	p := r.Lists.EverySample()
	s := "These limits hold for every adversary with this knowledge, biased or not. They hold on average over inputs and noise: a single input can be easier to reconstruct. An adversary who knows more about an input can come closer."
	if h := r.Lists.Holder; p != nil && h != nil && h.List.SHA256 == p.List.SHA256 {
		s += " The candidates are the measured data themselves: an adversary with this list holds every input that is measured."
	}
	if p != nil {
		s += " Limits without a list depend on three conditions that this run cannot check: " + r.Conditions() + "."
		of := "this sample"
		switch training := r.Release.Noise.FromTraining; {
		case training && r.Lists.NoiseFrom == measure.NothingFrom:
			s += " The noise was computed from training data, not from this sample."
		case training:
			of = "training data that contain inputs of this sample"
		}
		if n := r.Lists.Shared; n > 0 {
			s += fmt.Sprintf(" %s of the sample equal candidates: if the model was trained on the candidates, the second condition does not hold for these.", Count(n, "input"))
		}
		switch r.Lists.NoiseFrom {
		case measure.SigmaFrom:
			s += " The strength of the noise was computed from " + of + ", so the limits without a list hold for every strength at once. They are closer if --sigma sets the strength."
		case measure.ClipFrom:
			s += " The clip of the lattice was computed from " + of + ", so the limits without a list hold for 64 clips at once."
		}
		switch {
		case p.Apart > 0:
			s += fmt.Sprintf(" Floors without a list hold whatever the range of inputs: %s of the sample, which otherwise enter no floor from it, choose how far from the mean an input can lie before it is moved closer, which only makes the floors smaller.", Count(p.Apart, "input"))
		case r.Data.GreyLevels <= 0:
			s += " Limits without a list also assume that all inputs are within the range of these data."
		}
	}
	return s
}

// Conditions are those on which the limits without a list depend, and which nothing in a run can check. It is
// empty if there are no such limits.
func (r *Report) Conditions() string {
	if r.Lists == nil || r.Lists.EverySample() == nil {
		return ""
	}
	settings, sample := "features, projection, kind of noise, strength", r.Lists.EverySample().List
	if r.Lists.NoiseFrom == measure.SigmaFrom {
		settings = "features, projection, kind of noise"
	}
	s := fmt.Sprintf("the %s of %s are independent draws from the distribution of inputs, the model was not trained on them, and no setting of the release (%s) was chosen by results on them", Count(sample.Inputs, "input"), sample.Name, settings)
	if r.Lists.Look > 0 {
		s += " but for the looks, whose strengths were fixed before and which share the confidence"
	}
	return s
}
