package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// The parts of JUnit's XML that are written.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr,omitempty"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitOutcome `xml:"failure,omitempty"`
	Error   *junitOutcome `xml:"error,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitOutcome struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes an audit as JUnit's XML: every attribute, every control and every broken
// rule that is not about an attribute is a test case, so that a finding is counted once. They
// fail as the command does: an attribute that breaks a rule (Beyond or worse, where none was
// set) fails, inconclusive is an error, all else passes with words; where nothing is to fail
// nothing does. It returns an error if the report has no audit.
func (r *Report) WriteJUnit(w io.Writer) error {
	if r.Audit == nil {
		return errNoAudit
	}
	s := junitSuites{Name: "tattle audit"}
	if t, ok := r.Timing["total"]; ok {
		s.Time = strconv.FormatFloat(float64(t), 'f', 3, 64)
	}
	for _, suite := range []junitSuite{r.junitAttributes(), r.junitControls(), r.junitRules()} {
		if suite.count(); suite.Tests > 0 {
			s.Suites = append(s.Suites, suite)
			s.Tests, s.Failures, s.Errors = s.Tests+suite.Tests, s.Failures+suite.Failures, s.Errors+suite.Errors
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) count() {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
}

// newJUnitCase returns a test case that passes with words; broken is the rule by which it fails, or
// is an error, "" if it is neither.
func newJUnitCase(class, name, broken string, isError bool, message, words string) junitCase {
	c := junitCase{Class: "tattle.audit." + class, Name: name}
	switch {
	case broken == "":
		c.Out = words
	case isError:
		c.Error = &junitOutcome{broken, message, words}
	default:
		c.Failure = &junitOutcome{broken, message, words}
	}
	return c
}

// junitAttributes has a test case for each attribute, and the verdict on the release below
// them.
func (r *Report) junitAttributes() junitSuite {
	a := r.Audit
	s := junitSuite{Name: "attributes", Out: r.verdictWords()}
	for i := range a.Findings {
		f, broken, isError := &a.Findings[i], "", false
		switch rule := ruleOf(f.Verdict); {
		case r.breaks(f):
			broken = cmp.Or(rule, ruleThreshold)
		case rule == ruleInconclusive && !r.lenient():
			broken, isError = rule, true
		}
		said := append(append([]string{findingWords(a, f)}, r.breachesOf(f)...), r.acceptedOf(f)...)
		s.Cases = append(s.Cases, newJUnitCase("attribute", file.Name(f.Attribute), broken, isError, printable(briefly(f)), strings.Join(readable(said), "\n")))
	}
	return s
}

// briefly is an attribute's verdict with the figure that it rests on, for a list of what failed.
func briefly(f *audit.Finding) string {
	s := fmt.Sprintf("%s: %s", file.Name(f.Attribute), f.Verdict)
	if f.BestBaseline() != nil {
		s += ", " + evidenceWords(f)
	}
	return s
}

// lenient reports whether nothing is to fail.
func (a *Audited) lenient() bool {
	return a.FailOn != nil && a.FailOn.String() == audit.FailOn{}.String()
}

// breaks reports whether an attribute breaks a rule.
func (a *Audited) breaks(f *audit.Finding) bool {
	if a.FailOn == nil {
		return f.Verdict.ExceedsTarget()
	}
	return len(a.breachesOf(f)) > 0
}

// acceptedOf are the acceptances that cover the verdict on an attribute.
func (a *Audited) acceptedOf(f *audit.Finding) []string {
	var said []string
	for _, x := range a.Accepted.Verdict(f, a.Audit.Settings.Confidence) {
		said = append(said, fmt.Sprintf("Accepted finding on %s: %s.", f.Attribute, strings.TrimSuffix(acceptanceWords(x), ".")))
	}
	return said
}

// breachesOf are the sentences on the rules that an attribute breaks.
func (a *Audited) breachesOf(f *audit.Finding) []string {
	var said []string
	for _, b := range a.Breaches {
		if !b.Missing && b.Attribute == f.Attribute {
			said = append(said, b.String())
		}
	}
	return said
}

// breaches are the sentences on the rules that are broken.
func (a *Audited) breaches() []string {
	var said []string
	for _, b := range a.Breaches {
		said = append(said, b.String())
	}
	return readable(said)
}

func (r *Report) junitControls() junitSuite {
	s := junitSuite{Name: "controls"}
	for _, c := range r.Audit.Controls {
		broken := when(!c.Passed && !r.lenient(), ruleControl)
		s.Cases = append(s.Cases, newJUnitCase("control", printable(c.Name), broken, false, cmp.Or(controls[c.Name], printable(c.Name))+": failed", printable(controlNote(c))))
	}
	return s
}

// junitRules has a test case for each broken rule that no attribute's case has.
func (r *Report) junitRules() junitSuite {
	s := junitSuite{Name: "rules"}
	for _, b := range r.Breaches {
		if b.Missing || b.Attribute == "" {
			said := printable(b.String())
			s.Cases = append(s.Cases, newJUnitCase("rule", printable(b.Rule), ruleThreshold, false, said, said))
		}
	}
	return s
}
