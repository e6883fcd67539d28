package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"tattle/audit"
	"tattle/internal/must"
)

// formats are those that an audit has beside text and page.
var formats = map[string]func(*Report, io.Writer) error{
	"audit.md":    (*Report).WriteMarkdown,
	"audit.sarif": (*Report).WriteSARIF, "audit.junit.xml": (*Report).WriteJUnit,
}

func TestAuditFormatsGolden(t *testing.T) {
	r := auditReport()
	for name, write := range formats {
		golden(t, name, func(w io.Writer) error { return write(r, w) })
		if err := write(&Report{}, io.Discard); err == nil && name != "audit.md" {
			t.Errorf("%s of a report without an audit", name)
		}
	}
}

// written is a report in one format.
func written(t *testing.T, r *Report, name string) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, formats[name](r, &b), name)
	return b.String()
}

// evil is a name that means something to every format, and moves the cursor.
const evil = "<script>alert(1)</script>|[x](https://evil.example/)`_*{0}\x1b[2J\u202e\"'&]]>\n# h\xff"

// hostile is an audit all of whose names come from an enemy.
func hostile() *Report {
	r := auditReport()
	a := r.Audit
	a.Sample, a.Target, a.Notes, a.Warnings, a.Reasons, a.Advice, a.Recommendation = evil, evil, []string{evil}, []string{evil}, []string{evil}, []string{evil}, evil
	a.Entropy.Differences[0].Attribute, a.Entropy.Differences[0].Highest = evil, evil
	for i := range a.Findings {
		f := &a.Findings[i]
		f.Attribute, f.Reasons = evil, []string{evil}
		for j := range f.Subgroups.List {
			f.Subgroups.List[j].Attribute, f.Subgroups.List[j].Value = evil, evil
		}
		for j := range f.Attacks {
			f.Attacks[j].Name = evil
		}
	}
	for i := range a.Controls {
		a.Controls[i].Attribute, a.Controls[i].Where, a.Controls[i].Note, a.Controls[i].Advice = evil, evil, evil, evil
		a.Controls[i].Passed = false
	}
	for i := range a.Defences {
		a.Defences[i].Name, a.Defences[i].Note = evil, evil
		for j := range a.Defences[i].Left {
			a.Defences[i].Left[j].Attribute = evil
		}
	}
	r.Title, r.Breaches, r.Warnings, r.Model.Path, r.Data.Path, r.Data.Name, r.Settings = evil, []audit.Breach{{Rule: evil, Attribute: evil, Missing: true}}, []string{evil}, evil, evil, evil, map[string]string{"k": evil}
	r.Command, r.Data.Notes = evil, []string{evil}
	return r
}

// TestAuditEscapes: names from outside are shown as they are, in every format, and
// do nothing.
func TestAuditEscapes(t *testing.T) {
	r := hostile()
	text, page := rendered(t, r)
	all := map[string]string{"text": text, "page": page}
	for name := range formats {
		all[name] = written(t, r, name)
	}
	for name, s := range all {
		for _, banned := range []string{"\x1b", "\u202e", "\xff"} {
			if strings.Contains(s, banned) {
				t.Errorf("%s holds %q as it is", name, banned)
			}
		}
	}
	for _, name := range []string{"page", "audit.md"} {
		if strings.Contains(strings.ReplaceAll(all[name], "<script>"+pageScript, ""), "<script") {
			t.Errorf("%s holds markup", name)
		}
	}
	for _, name := range []string{"audit.md"} {
		markdownIsTame(t, name, all[name])
	}
}

// markdownIsTame checks that there are no links, that every line is a heading, list
// item, row or paragraph of ours, and that the rows of a table have as many cells as
// its head.
func markdownIsTame(t *testing.T, name, s string) {
	t.Helper()
	ours := strings.NewReplacer("<details><summary>", "", "</summary>", "", "</details>", "").Replace(s)
	bare := regexp.MustCompile(`\\.`).ReplaceAllString(ours, "")
	for _, banned := range []string{"](", "`", "://", "<"} {
		if strings.Contains(bare, banned) {
			t.Errorf("%s: unescaped %q", name, banned)
		}
	}
	cells := 0
	for _, line := range strings.Split(bare, "\n") {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|")
		if cells != 0 && n != cells {
			t.Errorf("%s: a row of %d cells under a head of %d: %s", name, n-1, cells-1, line)
		}
		cells = n
	}
}

// TestSARIFValid holds every log to the public schema, refuses fields that are not in
// it, and checks what the schema does not: indexes, levels, fingerprints.
func TestSARIFValid(t *testing.T) {
	clean := auditReport()
	clean.Breaches, clean.Audit.Findings = nil, clean.Audit.Findings[2:3]
	for name, r := range map[string]*Report{"audit": auditReport(), "hostile": hostile(), "clean": clean} {
		s := written(t, r, "audit.sarif")
		known := json.NewDecoder(strings.NewReader(s))
		known.DisallowUnknownFields()
		var log sarif.Report
		must.Do(t, known.Decode(&log), name)
		back := must.Get(sarif.FromBytes([]byte(s)))(t, name)
		// What a log leaves out the library writes empty, which its schema refuses.
		run := back.Runs[0]
		run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
		must.Do(t, back.Validate(), name)
		if n := len(log.Runs[0].Results); (n == 0) != (name == "clean") {
			t.Errorf("%s: %d results", name, n)
		}
		for _, x := range log.Runs[0].Results {
			rule := log.Runs[0].Tool.Driver.Rules[x.RuleIndex]
			if *rule.ID != *x.RuleID || x.Level != rule.DefaultConfiguration.Level || len(x.PartialFingerprints["tattleFinding/v1"]) != 32 || !strings.HasSuffix(x.PartialFingerprints["primaryLocationLineHash"], ":1") {
				t.Errorf("%s: %+v", name, x)
			}
			if at := x.Locations[0].PhysicalLocation; len(x.Locations) != 1 || *at.ArtifactLocation.URI == "" || *at.Region.StartLine != 1 {
				t.Errorf("%s: a result without a place: %+v", name, x)
			}
		}
		if d := log.Runs[0].Tool.Driver; !strings.HasPrefix(*d.Version, "v") || *d.Version != "v"+*d.SemanticVersion || !strings.HasPrefix(*d.InformationURI, "https://") || *d.Rules[0].HelpURI == "" || *log.Runs[0].AutomationDetails.ID == "" || *d.Rules[0].Help.Markdown == "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestSARIFStable: an alert stays the same alert when its figure changes, two
// attributes are two alerts, and what a verdict says is no second alert.
func TestSARIFStable(t *testing.T) {
	prints := func(breaches ...audit.Breach) []string {
		r := auditReport()
		r.Breaches = breaches
		log := must.Get(sarif.FromBytes([]byte(written(t, r, "audit.sarif"))))(t)
		var all []string
		for _, x := range log.Runs[0].Results {
			all = append(all, x.PartialFingerprints["primaryLocationLineHash"])
		}
		return all
	}
	low, high := prints(audit.Breach{Rule: "excess>5%", Attribute: "race", Figure: "excess", Limit: .326, Confidence: .95}), prints(audit.Breach{Rule: "excess>5%", Attribute: "race", Figure: "excess", Limit: .331, Confidence: .95})
	if !slices.Equal(low, high) || len(low) != 4 {
		t.Errorf("%q and %q", low, high)
	}
	slices.Sort(low)
	if n := len(slices.Compact(low)); n != 4 {
		t.Errorf("%d prints of 4 results", n)
	}
	if n := len(prints(audit.Breach{Rule: "curious", Attribute: "race", Verdict: audit.Curious})); n != 3 {
		t.Errorf("%d results where 3 attributes are not clean", n)
	}
}

// TestJUnitFailsAsTheCommand: what fails a build fails here, and nothing else.
func TestJUnitFailsAsTheCommand(t *testing.T) {
	for on, want := range map[string][4]string{
		"": {"fail", "", "", "error"}, "curious": {"fail", "", "", "error"}, "beyond": {"fail", "", "", "error"}, "leaky": {"fail", "fail", "", "error"}, "never": {},
		"excess>99%": {"", "", "", "error"}, "gender: leaky": {"", "fail", "", "error"}, "nobody: curious": {"", "", "", "error"}, "inconclusive": {"", "", "", "fail"},
	} {
		r := auditReport()
		r.Breaches = nil
		if on != "" {
			rules := must.Get(audit.ParseFailOn(on))(t)
			r.FailOn, r.Breaches = &rules, rules.Breaches(r.Audit)
		}
		var all junitSuites
		must.Do(t, xml.Unmarshal([]byte(written(t, r, "audit.junit.xml")), &all))
		var got [4]string
		for i, c := range all.Suites[0].Cases {
			switch {
			case c.Failure != nil:
				got[i] = "fail"
			case c.Error != nil:
				got[i] = "error"
			}
		}
		if got != want {
			t.Errorf("--fail-on %q: %q, want %q", on, got, want)
		}
		failing := 0
		for _, c := range want {
			if c == "fail" {
				failing++
			}
		}
		if missing := on == "nobody: curious"; missing {
			failing++ // the rule itself
		}
		if all.Failures != failing || (all.Failures > 0) != (on == "" || len(r.Breaches) > 0) {
			t.Errorf("--fail-on %q: %d failures, want %d: each finding once", on, all.Failures, failing)
		}
	}
}

// TestSARIFRules: numbers and levels are a promise to those who filter by them.
func TestSARIFRules(t *testing.T) {
	want := "TATTLE001 error, TATTLE002 warning, TATTLE003 warning, TATTLE004 error, TATTLE005 warning, TATTLE006 error"
	var got []string
	for _, r := range sarifRules {
		got = append(got, r.id+" "+r.level)
	}
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
	for v, id := range map[audit.Verdict]string{audit.Curious: "TATTLE001", audit.LeakyBeyond: "TATTLE006", audit.Leaky: "TATTLE002", audit.Inconclusive: "TATTLE003", audit.NoEvidence: ""} {
		if ruleOf(v) != id {
			t.Errorf("%s falls under %q", v, ruleOf(v))
		}
	}
}

// TestJUnitStructure checks the counts against the cases, and each verdict's outcome.
func TestJUnitStructure(t *testing.T) {
	for name, r := range map[string]*Report{"audit": auditReport(), "hostile": hostile()} {
		r.Timing = map[string]Number{"total": 12.5}
		var all junitSuites
		d := xml.NewDecoder(strings.NewReader(written(t, r, "audit.junit.xml")))
		must.Do(t, d.Decode(&all), name)
		tests := 0
		for _, s := range all.Suites {
			tests += len(s.Cases)
			if s.Tests != len(s.Cases) {
				t.Errorf("%s: suite %s counts %d", name, s.Name, s.Tests)
			}
		}
		if all.Tests != tests || all.Errors != 1 || all.Time != "12.500" || len(all.Suites) != map[string]int{"audit": 2, "hostile": 3}[name] {
			t.Errorf("%s: in all %d, %d", name, all.Tests, all.Errors)
		}
		if c := all.Suites[0].Cases; len(c) != 4 || c[0].Failure == nil || c[0].Failure.Type != "TATTLE001" || c[1].Failure != nil || c[1].Error != nil || c[3].Error == nil {
			t.Errorf("%s: attributes %+v", name, c)
		}
	}
}

// A record of what was trained is no array.
func TestRecordIsNoArray(t *testing.T) {
	r := New("an audit", "tattle audit", 1)
	r.Arrays = []Arrays{{File: "outputs.npz", SHA256: "aa"}, {File: "trained.json", SHA256: "bb"}}
	var b strings.Builder
	must.Do(t, r.WriteMarkdown(&b))
	if !strings.Contains(b.String(), "arrays: outputs.npz, sha256 aa") || !strings.Contains(b.String(), "record: trained.json, sha256 bb") {
		t.Error(b.String())
	}
}
