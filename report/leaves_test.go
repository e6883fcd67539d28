package report

import (
	"bytes"
	"strings"
	"testing"

	"tattle/internal/must"
)

// differing compares every leaf of two reports.
func differing(t *testing.T, recorded, recomputed *Report) []string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, recorded.WriteJSON(&b))
	found, _ := must.Get2(Compare(b.Bytes(), recomputed, nil))(t)
	return found
}

// TestCompare changes, adds and removes leaves of a document, and covers some of them.
func TestCompare(t *testing.T) {
	r := &Report{Schema: Schema, Seed: 1<<60 + 1, Settings: map[string]string{"legal range": "0:1"}, Reconstruction: Reconstruction{Attacks: []Attack{{Name: "linear", About: "a"}, {Name: "decoder"}}}}
	var b bytes.Buffer
	must.Do(t, r.WriteJSON(&b))
	whole := b.String()
	unchecked := []Unchecked{{"timing", "timing", ""}, {"attacks[*].about", "how", ""}, {"training", "training", ""}}
	for _, x := range []struct{ was, is, found string }{
		{`"seed"`, `"seed"`, ""},
		{`1152921504606846977`, `1152921504606846976`, "seed: recorded 1152921504606846976, recomputed 1152921504606846977"}, // the same float64
		{`"0:1"`, `"0:2"`, `settings["legal range"]: `},
		{`"legal range"`, `"legal"`, "settings.legal: recorded"},
		{`"sha256": ""`, `"sha256": "0"`, "model.sha256: "},
		{`"linear"`, `"liné"`, "attacks[0].name: "},
		{`"about": "a"`, `"about": "b"`, ""},
		{`"timing": null`, `"timing": {"total": 3}`, ""},
		{`"warnings": null`, `"warnings": []`, "warnings: "},
		{`"title": "",`, ``, "title: recorded nothing"},
		{`"title": ""`, `"title": "", "told": 1`, "told: recorded 1, recomputed nothing"},
		{`"title": ""`, `"title": "", "Title": ""`, `["Title"]: recorded`},
		{`"title": "",`, `"title" : "a\"]},\\" ,`, `title: recorded "a\"]},\\"`},
		{`"title": "",`, `"t\u0069tle": "\u0000",`, `title: recorded "\u0000"`},
		{`"inputs": 0`, `"inputs": 0.0`, ""},
		{`"inputs": 0`, `"inputs": 1e-7`, "model.inputs: "},
	} {
		changed := strings.Replace(whole, x.was, x.is, 1)
		if changed == whole && x.was != x.is {
			t.Fatalf("the document lacks %s", x.was)
		}
		found, left := must.Get2(Compare([]byte(changed), r, unchecked))(t)
		if all := strings.Join(found, "\n"); (all == "") != (x.found == "") || !strings.HasPrefix(all, x.found) {
			t.Errorf("%s for %s: found %q", x.is, x.was, all)
		}
		if len(left) != 2 || left[0].Name != "timing" || left[1].Name != "how" {
			t.Errorf("%s for %s: not checked: %v", x.is, x.was, left)
		}
	}
	for _, twice := range []string{strings.Replace(whole, `"title"`, `"seed": 5, "title"`, 1), whole + "{}", whole[:len(whole)-3], strings.Replace(whole, `"timing": null`, `"timing": {"a": 1, "a": 2}`, 1)} {
		if _, _, err := Compare([]byte(twice), r, unchecked); err == nil {
			t.Errorf("no error for %s", twice)
		}
	}
}
