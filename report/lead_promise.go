package report

import (
	"fmt"
	"math"
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
	if words := r.recognisedWords(); words != "" {
		v.Says += " " + words
	}
	if x.Met && harm != "" && !(tone == Warn && x.Limits.Identify > 0 && harm != "Class recognised") {
		v.Tone = tone
	}
	if _, share := r.recognised(); x.Met && v.Tone == Good && share >= recognisedMostly {
		v.Tone = Warn // the promise is about inputs, and an attack recovers their class
	}
	return v
}

// promiseHeadline says in a sentence by which figure the promise is kept, and at what cost. If it is
// not kept, sentences say which limits are missed, and what may help.
func (r *Report) promiseHeadline() string {
	if x := r.Promise; x.Met && x.Released != nil && len(x.Checked) > 0 {
		first, others := leadingLimit(x.Checked)
		said := []string{r.limitSentence(first)}
		switch {
		case others == 1:
			said = append(said, "the other limit is kept")
		case others > 1:
			said = append(said, fmt.Sprintf("%d other limits are kept", others))
		}
		return sentenceOf(strings.Join(append(said, "and "+r.dropWords()), ", "))
	}
	var said []string
	for _, s := range r.promiseParts() {
		said = append(said, sentenceOf(s))
	}
	return strings.Join(said, " ")
}

// leadingLimit returns the limit that a promise states first, and how many others there are. Of
// identification it has the larger figure: of inputs of the list or of new ones.
func leadingLimit(all []CheckedLimit) (first CheckedLimit, others int) {
	first, others = all[0], len(all)-1
	if first.Kind == LimitIdentify && others > 0 && all[1].Kind == LimitHidden {
		first.Figure, others = max(first.Figure, all[1].Figure), others-1
	}
	return first, others
}

// dropWords says by how much the release changes the accuracy.
func (r *Report) dropWords() string {
	if math.IsNaN(float64(r.Promise.Drop)) {
		return "the accuracy on test data is " + percent(float64(r.Promise.Accuracy))
	}
	return changed(r.Promise.Drop)
}
