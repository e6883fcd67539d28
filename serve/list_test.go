package serve

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/report"
)

// listed returns the folders of the runs of a list, in its order.
func listed(page string) []string {
	var out []string
	for _, row := range strings.Split(page, `<tr class="run">`)[1:] {
		_, at, _ := strings.Cut(row, `href="/run/`)
		at, _, _ = strings.Cut(at, `"`)
		folder, _ := url.PathUnescape(at)
		out = append(out, folder)
	}
	return out
}

func TestListFiltersAndSorts(t *testing.T) {
	h := handler(t, runsOf(t), Options{})
	for target, want := range map[string]string{
		"/":                         "audit bounds deep/b a",
		"/?sort=name":               "a audit bounds deep/b",
		"/?sort=command":            "audit bounds a deep/b",
		"/?sort=verdict":            "bounds audit a deep/b",
		"/?sort=nonsense":           "audit bounds deep/b a",
		"/?q=GLYPHS":                "deep/b a",
		"/?q=deep+glyphs":           "deep/b",
		"/?q=grey+levels":           "",
		"/?q=unbiased+ESTIMATORS":   "bounds",
		"/?q=none":                  "",
		"/?command=train&sort=name": "a deep/b",
		"/?verdict=curious":         "audit",
		"/?verdict=bound+for+unbiased+estimators+only": "bounds",
		"/?verdict=no+excess+shown&q=a":                "deep/b a",
		"/?command=train&verdict=x":                    "",
		"/?q=" + "%00%ff%22'":                          "",
	} {
		if got := strings.Join(listed(page(t, h, target)), " "); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// A search finds the words that the list and the run's page show, and no others.
func TestSearchFindsWhatIsShown(t *testing.T) {
	dir := t.TempDir()
	r := &report.Report{Schema: report.Schema, Title: "A classifier of MNIST", Command: "tattle train mnist", Outcome: report.Done, Training: &report.Training{},
		Utility: report.Utility{CleanAccuracy: .975, Examples: 200}}
	put(t, dir, "honest", r, 0)
	put(t, dir, "audit", audited(.31), 1)
	h := handler(t, dir, Options{})
	for words, want := range map[string]string{
		"unseen": "", "accuracy: 97.5": "honest", "MNIST honest": "honest",
		"curious": "audit", "tattle audit": "audit",
	} {
		text := page(t, h, "/?q="+url.QueryEscape(words))
		if got := strings.Join(listed(text), " "); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
		for _, folder := range listed(text) {
			shown := strings.ToLower(html.UnescapeString(text + page(t, h, "/run/"+folder)))
			for word := range strings.FieldsSeq(strings.ToLower(words)) {
				if !strings.Contains(shown, word) {
					t.Errorf("%q is found in %s, and not shown", word, folder)
				}
			}
		}
	}
}

func TestListSaysWhatItShows(t *testing.T) {
	h := handler(t, runsOf(t), Options{})
	text := html.UnescapeString(page(t, h, "/"))
	for _, want := range []string{
		"4 runs", "Excess: +44.0 points",
		`<option value="train">train (2)</option>`, `<option value="curious">curious (1)</option>`, `aria-sort="descending"`, "2026-05-04",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the list does not say %q", want)
		}
	}
	if text := page(t, h, "/?command=train"); !strings.Contains(text, "2 of 4 runs") || !strings.Contains(text, `value="train" selected`) {
		t.Error("a filtered list does not say so")
	}
	if text := page(t, handler(t, t.TempDir(), Options{}), "/"); !strings.Contains(text, "There is no report.json") {
		t.Error("an empty folder is not called that")
	}
}

func TestListIsShort(t *testing.T) {
	dir := t.TempDir()
	for i := range maxRows + 5 {
		put(t, dir, fmt.Sprintf("run-%03d", i), &report.Report{Schema: report.Schema, Title: "T", Command: "tattle x"}, 0)
	}
	text := page(t, handler(t, dir, Options{}), "/")
	if n := len(listed(text)); n != maxRows || !strings.Contains(text, "a filter finds the others") {
		t.Errorf("%d runs", n)
	}
}

// What changes on disk is seen once a walk is no longer fresh; what did not is not
// read again.
func TestListFollowsTheFolder(t *testing.T) {
	dir := runsOf(t)
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	s := newIndex(root)
	find := func(folder string) *entry {
		s.walked = time.Time{}
		all, _ := must.Get2(s.entries(t.Context()))(t)
		if i := slices.IndexFunc(all, func(e *entry) bool { return e.Path == folder }); i >= 0 {
			return all[i]
		}
		return nil
	}
	a, bounds := find("a"), find("bounds")
	changed := bounded(2)
	changed.Title = "Changed"
	put(t, dir, "bounds", changed, 9)
	os.RemoveAll(filepath.Join(dir, "deep"))
	if find("a") != a {
		t.Error("an unchanged report was read again")
	}
	if b := find("bounds"); b == bounds || b.Title != "Changed" {
		t.Error("a changed report was not read")
	}
	if find("deep/b") != nil {
		t.Error("a removed run is still there")
	}
}

// A list does not wait for ever: what is not read yet is listed as that.
func TestListDoesNotWait(t *testing.T) {
	readTimeout = 0
	defer func() { readTimeout = time.Minute }()
	dir := runsOf(t)
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	s := newIndex(root)
	all, notes, err := s.entries(t.Context())
	if err != nil || len(all) != 4 || all[0].Rest != "not read yet" {
		t.Fatalf("%d runs, %v", len(all), err)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "4 of 4 reports are still to be read") {
		t.Errorf("notes %q", notes)
	}
	for _, e := range all {
		row := query{Text: "deep"}.view([]*entry{e}).Rows
		if len(row) > 0 != (e.Path == "deep/b") {
			t.Errorf("%s is not found by its folder", e.Path)
		}
	}
}

// A training is listed with its accuracy, and an evidence pack is no run.
func TestTrainingsAndPacks(t *testing.T) {
	dir := t.TempDir()
	r := &report.Report{Schema: report.Schema, Title: "A classifier of MNIST", Command: "tattle train mnist", Outcome: report.Done, Training: &report.Training{},
		Utility: report.Utility{CleanAccuracy: .975, Examples: 200}}
	put(t, dir, "honest", r, 0)
	put(t, dir, "audit", audited(.31), 1)
	put(t, dir, "audit/evidence", audited(.31), 2)
	write(t, dir, "audit/evidence/"+report.EvidenceSums, "0  report.json\n")
	write(t, dir, "audit/evidence/"+report.EvidenceManifest, "{}")
	h := handler(t, dir, Options{})
	text := page(t, h, "/?sort=name")
	for _, want := range []string{"Accuracy: 97.5 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the list", want)
		}
	}
	if got := strings.Join(listed(text), " "); got != "audit honest" {
		t.Errorf("runs %q", got)
	}
	if run := page(t, h, "/run/audit"); !strings.Contains(run, "evidence/"+report.EvidenceSums) {
		t.Error("the pack's files are not among those of its run")
	}
}
