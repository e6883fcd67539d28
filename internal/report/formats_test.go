package report

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"tattle/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	if want := string(must.Get(os.ReadFile(path))(t)); got != want {
		t.Errorf("%s differs: go test ./internal/report -update, and read the diff", path)
	}
}

// TestGolden: the audit, in every format that is text.
func TestGolden(t *testing.T) {
	for _, name := range []string{"text", "md", "sarif", "xml"} {
		golden(t, "audit."+map[string]string{"text": "txt", "xml": "junit.xml"}[name]+strings.TrimSuffix(strings.TrimSuffix(name, "text"), "xml"), written(t, auditReport(), name))
	}
}

// evil is a name that means something to every format, and moves the cursor.
const evil = "<script>alert(1)</script>|[x](https://evil.example/)`_*{0}{excess}\x1b[2J\u202e\"'&]]>\n# h\xff"

// hostile is a report all of whose names come from an enemy.
func hostile(r *Report) *Report {
	r.Title, r.Target, r.Model.Path, r.Data.Path, r.Data.Name = evil, evil, evil, evil, evil
	r.Command += " " + evil
	r.SetRequest(map[string]string{evil: evil})
	r.Files = []File{{evil, evil}}
	for i := range r.Claims {
		c := &r.Claims[i]
		c.Subject, c.Group = strings.Repeat(evil, min(1, len(c.Subject))), strings.Repeat(evil, min(1, len(c.Group)))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Subject = strings.Repeat(evil, min(1, len(f.Subject)))
		for j := range f.Args {
			f.Args[j] = evil
		}
	}
	for i := range r.Series {
		r.Series[i].Name = evil
	}
	for i := range r.Pictures {
		r.Pictures[i].Name, r.Pictures[i].Group = evil, "input "+evil
	}
	r.Warn(evil)
	return r
}

// TestNamesFromOutside are shown as they are in every format, and do nothing.
func TestNamesFromOutside(t *testing.T) {
	for kind, r := range kinds() {
		r = hostile(r)
		for _, format := range []string{"text", "html", "md", "sarif", "xml"} {
			s := written(t, r, format)
			for _, banned := range []string{"\x1b", "\u202e", "\xff"} {
				if strings.Contains(s, banned) {
					t.Errorf("%s, %s: holds %q as it is", kind, format, banned)
				}
			}
			switch format {
			case "text":
				fits(t, s)
			case "html":
				standsAlone(t, s)
			case "md":
				tame(t, kind, s)
			}
		}
	}
}

// tame checks that Markdown has no links and no markup but ours, and that the rows of a table have as many cells as its
// head.
func tame(t *testing.T, name, s string) {
	t.Helper()
	s = regexp.MustCompile(`(?m)^    .*$`).ReplaceAllString(s, "") // commands are shown as they are
	ours := strings.NewReplacer("<details><summary>", "", "</summary>", "", "</details>", "").Replace(s)
	bare := regexp.MustCompile(`\\.`).ReplaceAllString(ours, "")
	for _, banned := range []string{"](", "`", "://", "<"} {
		if strings.Contains(bare, banned) {
			t.Errorf("%s: unescaped %q", name, banned)
		}
	}
	cells := 0
	for line := range strings.Lines(bare) {
		n := strings.Count(line, "|")
		if !strings.HasPrefix(line, "|") {
			n = 0
		} else if cells != 0 && n != cells {
			t.Errorf("%s: a row of %d cells under a head of %d: %s", name, n-1, cells-1, line)
		}
		cells = n
	}
}

// standsAlone checks that a page loads nothing, has one script, which its policy names, and that its marks are ours.
func standsAlone(t *testing.T, page string) {
	t.Helper()
	if n := strings.Count(page, "<script"); n != 1 || !strings.Contains(page, "<script>"+pageScript+"</script>") {
		t.Errorf("%d scripts", n)
	}
	if !strings.Contains(page, `content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-`) {
		t.Error("no content security policy")
	}
	body := strings.Replace(page, pageScript, "", 1)
	for _, m := range regexp.MustCompile(`(?i)\s(src|href|action|data|srcset|on\w+)\s*=\s*"?([^"\s>]*)`).FindAllStringSubmatch(regexp.MustCompile(`(?s)>[^<]*<`).ReplaceAllString(body, "><"), -1) {
		if !strings.HasPrefix(m[2], "#") && !strings.HasPrefix(m[2], "data:image/png;base64,") && !strings.HasPrefix(m[2], "sha256:") {
			t.Errorf("the page loads %s", m[0])
		}
	}
	for _, banned := range []string{"url(", "@import", "<link", "<iframe", "ZgotmplZ"} {
		if strings.Contains(page, banned) {
			t.Errorf("the page holds %s", banned)
		}
	}
	allowed := strings.Fields("!doctype html head meta title style body a header h1 p main section strong dl div dt dd b i h2 h3 ul li figure figcaption svg line text path polyline polygon details summary table thead tbody tr th td span small pre footer script img br")
	for _, m := range regexp.MustCompile(`<(!?[a-zA-Z]\w*)`).FindAllStringSubmatch(body, -1) {
		if !slices.Contains(allowed, m[1]) {
			t.Errorf("the page has the mark <%s>", m[1])
		}
	}
}

// TestEveryKind: reports of every kind are plain, stand alone as a page, fit a terminal and are printed alike once they
// were read from JSON.
func TestEveryKind(t *testing.T) { EveryKind(t, kinds()) }

// EveryKind is TestEveryKind for these reports, also of curious_test.go.
func EveryKind(t *testing.T, all map[string]*Report) {
	for kind, r := range all {
		t.Run(kind, func(t *testing.T) {
			back := must.Get(Parse([]byte(written(t, r, "json"))))(t)
			for _, format := range []string{"text", "html", "md", "sarif", "xml", "json"} {
				is, was := written(t, back, format), written(t, r, format)
				if format == "html" {
					standsAlone(t, was)
					was = string(WithoutPictures([]byte(was)))
				}
				if is != was {
					t.Errorf("%s: written otherwise from JSON", format)
				}
				if strings.Contains(was, "<nil>") || strings.Contains(was, "%!") || strings.Contains(was, "NaN") {
					t.Errorf("%s holds a Go value", format)
				}
			}
			fits(t, written(t, r, "text"))
			if found := dialect.FindString(written(t, r, "text")); found != "" {
				t.Errorf("says %q", found)
			}
			if found, left := r.Compare(back, ""); len(found) > 0 {
				t.Errorf("differs from itself: %v (left: %v)", found, left)
			}
		})
	}
}

// logOf reads a SARIF log and holds it to the public schema, refusing fields that are not in it.
func logOf(t *testing.T, r *Report) *sarif.Run {
	t.Helper()
	s := written(t, r, "sarif")
	known := json.NewDecoder(strings.NewReader(s))
	known.DisallowUnknownFields()
	var log sarif.Report
	must.Do(t, known.Decode(&log))
	back := must.Get(sarif.FromBytes([]byte(s)))(t)
	// What a log leaves out the library writes empty, which its schema refuses.
	run := back.Runs[0]
	run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
	must.Do(t, back.Validate())
	return log.Runs[0]
}

// TestSARIF checks what the schema does not: indexes, levels, places, what is suppressed.
func TestSARIF(t *testing.T) {
	clean := auditReport()
	clean.Findings = clean.Findings[2:3]
	for name, r := range map[string]*Report{"audit": auditReport(), "hostile": hostile(auditReport()), "clean": clean} {
		run := logOf(t, r)
		if n := len(run.Results); (n == 0) != (name == "clean") {
			t.Errorf("%s: %d results", name, n)
		}
		for _, x := range run.Results {
			rule := run.Tool.Driver.Rules[x.RuleIndex]
			at := x.Locations[0].PhysicalLocation
			if *rule.ID != *x.RuleID || x.Level != rule.DefaultConfiguration.Level || len(x.PartialFingerprints["tattleFinding/v1"]) != 32 || len(x.Locations) != 1 || *at.ArtifactLocation.URI == "" || *at.Region.StartLine != 1 {
				t.Errorf("%s: %+v", name, x)
			}
			if accepted := *x.Locations[0].LogicalLocations[0].Name == "gender"; name == "audit" && accepted != (len(x.Suppressions) == 1) {
				t.Errorf("%d suppressions of %s", len(x.Suppressions), *x.Message.Text)
			}
		}
		if d := run.Tool.Driver; name != "hostile" && (*d.Version != "v"+*d.SemanticVersion || *run.AutomationDetails.ID != "tattle-audit/income/") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestSARIFStable: an alert stays the same alert when its figure changes, and two findings are two alerts.
func TestSARIFStable(t *testing.T) {
	prints := func(r *Report) (all []string) {
		for _, x := range logOf(t, r).Results {
			all = append(all, x.PartialFingerprints["primaryLocationLineHash"])
		}
		return all
	}
	other := auditReport()
	for i := range other.Claims {
		other.Claims[i].Value.X *= 1.01
	}
	other.Findings[0].Code = "beyond.excess"
	is, was := prints(other), prints(auditReport())
	if !slices.Equal(is, was) {
		t.Errorf("%q and %q", was, is)
	}
	slices.Sort(is)
	if n := len(slices.Compact(is)); n != len(was) || n != 6 {
		t.Errorf("%d prints of %d results", n, len(was))
	}
}

// TestJUnit: an attribute fails if a rule about it is broken, is an error if nothing is decided, and passes otherwise.
func TestJUnit(t *testing.T) {
	var all junitSuites
	must.Do(t, xml.Unmarshal([]byte(written(t, auditReport(), "xml")), &all))
	got := map[string]string{}
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			got[c.Class+" "+c.Name] = map[bool]string{true: "fails"}[c.Failure != nil] + map[bool]string{true: "error"}[c.Error != nil]
		}
	}
	want := map[string]string{
		"tattle.audit.attribute race": "fails", "tattle.audit.attribute gender": "fails", "tattle.audit.attribute age": "", "tattle.audit.attribute job": "error",
		"tattle.audit.control negative": "", "tattle.audit.control positive": "fails", "tattle.audit.rule excess>1% of region: there is no such attribute": "fails",
	}
	for name, outcome := range want {
		if is, ok := got[name]; !ok || is != outcome {
			t.Errorf("%s: %q, want %q", name, is, outcome)
		}
	}
	if len(got) != len(want) || all.Tests != 7 || all.Failures != 4 || all.Errors != 1 {
		t.Errorf("%v; %d tests, %d failures, %d errors", got, all.Tests, all.Failures, all.Errors)
	}
	decoder := xml.NewDecoder(strings.NewReader(written(t, hostile(auditReport()), "xml")))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
