package audit

import (
	"strings"

	"tattle/curious"
)

// The prefixes in a header before the name of the target and of an attribute.
const (
	targetPrefix    = "y:"
	sensitivePrefix = "s:"
)

// scoreWords begin the names of columns of outputs, with the kind of output that they imply.
// A word that begins with another comes first.
var scoreWords = []struct {
	word, family string
	kind         curious.Outputs
}{
	{"scores", "score", ""}, {"score", "score", ""},
	{"logits", "logit", curious.Raw}, {"logit", "logit", curious.Raw},
	{"probabilities", "prob", curious.Soft}, {"probability", "prob", curious.Soft},
	{"probas", "prob", curious.Soft}, {"proba", "prob", curious.Soft}, {"probs", "prob", curious.Soft}, {"prob", "prob", curious.Soft},
	{"outputs", "output", ""}, {"output", "output", ""},
	{"y_proba", "y_prob", curious.Soft}, {"y_prob", "y_prob", curious.Soft}, {"y_score", "y_score", ""},
	{"p_", "p_", curious.Soft},
}

// weakScoreWords begin names of columns of outputs that others may have, too; they are looked for
// where no name begins with one of scoreWords.
var weakScoreWords = []struct{ word, family string }{
	{"y_pred", "y_pred"}, {"predictions", "pred"}, {"prediction", "pred"}, {"preds", "pred"}, {"pred", "pred"}, {"p", "p"},
}

// parseWeakScoreName reads names such as pred_cat, y_pred and p0. After p, a number must follow.
func parseWeakScoreName(name string) (scoreName, bool) {
	folded := strings.ToLower(name)
	for _, w := range weakScoreWords {
		rest, ok := strings.CutPrefix(folded, w.word)
		if !ok || len(folded) != len(name) {
			continue
		}
		class := strings.Trim(name[len(name)-len(rest):], " _-.[]():")
		number := rest != "" && strings.Trim(rest, "0123456789") == ""
		if apart := rest == "" || number || class != rest; w.word == "p" && number || w.word != "p" && apart {
			return scoreName{family: w.family, class: class}, true
		}
	}
	return scoreName{}, false
}

// scoreName is the meaning of the name of a column of outputs.
type scoreName struct {
	family string
	kind   curious.Outputs
	class  string
}

// parseScoreName reads names such as score3, prob_cat, p_1, logit:small caps. The word must not be
// followed by a letter, so "problem" is not such a name.
func parseScoreName(name string) (scoreName, bool) {
	folded := strings.ToLower(name)
	for _, w := range scoreWords {
		if !strings.HasPrefix(folded, w.word) || len(folded) != len(name) {
			continue
		}
		rest := name[len(w.word):]
		if own, ok := strings.CutPrefix(rest, ":"); ok {
			return scoreName{w.family, w.kind, own}, true
		}
		if next := strings.ToLower(rest); w.word != "p_" && next != "" && next[0] >= 'a' && next[0] <= 'z' {
			continue
		}
		return scoreName{w.family, w.kind, strings.Trim(rest, " _-.[]()")}, true
	}
	return scoreName{}, false
}

// parseSensitive reads the name of a sensitive column in a header: s1, s2_race, s, sensitive,
// s:NAME, s:NAME:number or s:NAME:class.
func parseSensitive(header string) (wanted, bool) {
	folded := strings.ToLower(header)
	if rest, ok := strings.CutPrefix(folded, sensitivePrefix); ok && len(folded) == len(header) {
		return typed(header[len(header)-len(rest):]), true
	}
	numbered := len(folded) > 1 && folded[0] == 's' && folded[1] >= '0' && folded[1] <= '9'
	return wanted{name: header}, numbered || folded == "s" || folded == "sensitive"
}
