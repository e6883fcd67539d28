package audit

import (
	"strings"

	"tattle/curious"
)

// The prefixes that WriteOutputs writes in a header before the name of a class or an attribute.
const (
	targetPrefix    = "y:"
	sensitivePrefix = "s:"
	rawPrefix       = "logit:"
	softPrefix      = "prob:"
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

// parseSensitive reads the name of a sensitive column in a header: s1, s2_race, s, sensitive, or
// s:NAME with an optional type as in parseOwn. In s:NAME a backslash before \ : = | makes it
// part of the name.
func parseSensitive(header string) (wanted, bool) {
	folded := strings.ToLower(header)
	if rest, ok := strings.CutPrefix(folded, sensitivePrefix); ok && len(folded) == len(header) {
		return parseOwn(header[len(header)-len(rest):]), true
	}
	numbered := len(folded) > 1 && folded[0] == 's' && folded[1] >= '0' && folded[1] <= '9'
	return wanted{name: header}, numbered || folded == "s" || folded == "sensitive"
}

// parseOwn reads NAME, NAME:number, NAME:class or NAME=A|B|C.
func parseOwn(text string) wanted {
	if name, list, ok := cutUnescaped(text, '='); ok {
		w := wanted{name: unescaped(name), manner: asListed}
		for ok {
			var value string
			value, list, ok = cutUnescaped(list, '|')
			w.listed = append(w.listed, unescaped(value))
		}
		return w
	}
	name, suffix, _ := cutUnescaped(text, ':')
	switch suffix {
	case "number":
		return wanted{name: unescaped(name), manner: asNumber}
	case "class":
		return wanted{name: unescaped(name), manner: asClass}
	}
	return wanted{name: unescaped(text)}
}

// cutUnescaped cuts around the first separator that has no backslash before it.
func cutUnescaped(text string, separator byte) (before, after string, found bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case separator:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// unescaped removes the backslashes that escaped adds.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(special, text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// special are the letters that mean something in a header.
const special = `\:=|`

// escaped puts a backslash before letters that mean something in a header.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `:`, `\:`, `=`, `\=`, `|`, `\|`).Replace(text)
}

// header writes the name of a column of the attribute.
func (a *Attribute) header() string {
	if a.Numeric() {
		return sensitivePrefix + escaped(a.Name) + ":number"
	}
	values := make([]string, len(a.Values))
	for i, v := range a.Values {
		values[i] = escaped(v)
	}
	return sensitivePrefix + escaped(a.Name) + "=" + strings.Join(values, "|")
}
