package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// dialect are words that readers of reports did not understand.
var dialect = regexp.MustCompile(`(?i)for the unbiased\b|for everybody|let pass|\b(told|tells|sees|dithered)\b|typical coarse|that it breaks|\b1 classifiers|thousandths|have no business`)

var sentenceEnd = regexp.MustCompile(`[.!?]\)?(\s+|$)`)

const mostWords = 25

// plain checks a template: short sentences, no dialect, known places.
func plain(t *testing.T, what, template string, ids map[string]bool) {
	t.Helper()
	for _, p := range place.FindAllStringSubmatch(template, -1) {
		id, beside, besides := strings.Cut(p[1], "@")
		if at := strings.LastIndexByte(id, '.'); at >= 0 && shows[id[at+1:]] != nil && !besides {
			id = id[:at]
		}
		if known := p[1] == "subject" || strings.ToLower(p[1]) == "score" || regexp.MustCompile(`^[1-9]$`).MatchString(p[1]) || ids[id] && (!besides || ids[beside]); !known {
			t.Errorf("%s: nothing is called %s", what, p[0])
		}
	}
	if rest := place.ReplaceAllString(template, ""); strings.ContainsAny(rest, "{}") {
		t.Errorf("%s: a brace in %s", what, template)
	}
	for _, s := range sentenceEnd.Split(place.ReplaceAllString(template, "X"), -1) {
		if n := len(strings.Fields(s)); n > mostWords {
			t.Errorf("%s: %d words: %s", what, n, s)
		}
	}
	if found := dialect.FindString(template); found != "" {
		t.Errorf("%s says %q", what, found)
	}
}

// named are the strings that stand in the source of the packages that make reports, among them the IDs of claims, and
// the IDs of the layouts that begin or end with such a string.
func named(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	var layoutIDs []string
	for _, l := range layouts {
		for _, s := range l.sections {
			for _, p := range s.parts {
				if p.table != nil {
					for _, c := range p.table.columns {
						layoutIDs = append(layoutIDs, c.claim)
					}
				}
			}
		}
	}
	for _, dir := range []string{"cli", "guard", "guard/pack", "paper", "protect/*", "reveal/*", "reveal/curious/training", "verify"} {
		for _, path := range must.Get(filepath.Glob("../" + dir + "/*.go"))(t) {
			for _, m := range regexp.MustCompile(`"([A-Za-z±][A-Za-z_.0-9' ]*)"`).FindAllSubmatch(must.Get(os.ReadFile(path))(t), -1) {
				all[string(m[1])] = true
			}
		}
	}
	for _, id := range append(layoutIDs, "nearest.sigma") {
		if at := strings.LastIndexByte(id, '.') + 1; all[id[:at]] || at > 0 && all[id[:at-1]] || regexp.MustCompile(`^q\d\d$`).MatchString(id[at:]) {
			all[id] = true
		}
	}
	return all
}

// TestWords: every finding is said plainly, in short sentences, and names only what there is.
func TestWords(t *testing.T) {
	ids := named(t)
	for code, w := range words {
		plain(t, code, w.Says, ids)
		plain(t, code, w.Badge, ids)
		if (w.Part == Verdict) != (w.Badge != "") && w.Part != Detail {
			t.Errorf("%s: part %d with the badge %q", code, w.Part, w.Badge)
		}
		if w.Says == "" || w.Part == Verdict && w.Badge == "" {
			t.Errorf("%s says nothing", code)
		}
		if w.Rule != "" && !slices.ContainsFunc(sarifRules, func(x sarifRule) bool { return x.id == w.Rule }) {
			t.Errorf("%s: no rule %s", code, w.Rule)
		}
		if badge := strings.TrimSpace(w.Badge); len([]rune(badge)) > 50 {
			t.Errorf("%s: the badge %q is too long", code, badge)
		}
	}
	must.Panic(t, func() { WordingOf("unheard") })
}

// TestLayoutWords: so are the words of layouts.
func TestLayoutWords(t *testing.T) {
	ids := named(t)
	for name, l := range layouts {
		for _, x := range l.tiles {
			plain(t, name, x.name, ids)
			plain(t, name, x.about, ids)
		}
		for _, s := range l.sections {
			plain(t, name, s.title, ids)
			for _, p := range s.parts {
				plain(t, name, p.title, ids)
				plain(t, name, p.says, ids)
				if p.table == nil {
					continue
				}
				for _, c := range p.table.columns {
					if !ids[c.claim] {
						t.Errorf("%s, %s: no claim is called %s", name, s.title, c.claim)
					}
					if c.show != "" && c.show != "badge" && shows[c.show] == nil && !strings.HasPrefix(c.show, "@") {
						t.Errorf("%s, %s: a column shows %s", name, s.title, c.show)
					}
				}
			}
		}
		for _, x := range l.terms {
			plain(t, name, x.Means, ids)
		}
	}
}
