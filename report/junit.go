package report

import (
	"encoding/xml"
	"fmt"
	"io"
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
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
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

// WriteJUnit writes an audit as JUnit's XML: the release, every attribute, every
// control and every broken threshold is a test case. Curious fails, inconclusive is
// an error, and leaky by correlation passes with words, unless a threshold forbids
// it. It errs where the report has no audit.
func (r *Report) WriteJUnit(w io.Writer) error {
	if r.Audit == nil {
		return errNoAudit
	}
	s := junitSuites{Name: "tattle audit"}
	for _, suite := range []junitSuite{r.junitRelease(), r.junitAttributes(), r.junitControls(), r.junitThresholds()} {
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

func (r *Report) junitRelease() junitSuite {
	a := r.Audit
	said := strings.Join(readable(append([]string{verdictWords(a)}, a.Reasons...)), "\n")
	return junitSuite{Name: "release", Cases: []junitCase{judged("tattle.audit.release", file.Name(a.Sample), a.Verdict, verdictWords(a), said)}}
}

func (r *Report) junitAttributes() junitSuite {
	s := junitSuite{Name: "attributes"}
	for i := range r.Audit.Findings {
		f := &r.Audit.Findings[i]
		words := printable(findingWords(f))
		s.Cases = append(s.Cases, judged("tattle.audit.attribute", file.Name(f.Attribute), f.Verdict, fmt.Sprintf("%s: %s", file.Name(f.Attribute), f.Verdict), words))
	}
	return s
}

// judged is the test case of a verdict.
func judged(class, name string, v audit.Verdict, message, words string) junitCase {
	c := junitCase{Class: class, Name: name}
	o := &junitOutcome{Type: ruleOf(v), Message: printable(message), Text: words}
	switch v {
	case audit.Curious:
		c.Failure = o
	case audit.Leaky, audit.NoEvidence:
		c.Out = words
	default:
		c.Error = o
	}
	return c
}

func (r *Report) junitControls() junitSuite {
	s := junitSuite{Name: "controls"}
	for _, c := range r.Audit.Controls {
		x := junitCase{Class: "tattle.audit.control", Name: printable(c.Name)}
		if words := printable(controlNote(c)); c.Passed {
			x.Out = words
		} else {
			x.Failure = &junitOutcome{Type: ruleControl, Message: printable(controlName(c.Name)) + ": failed", Text: words}
		}
		s.Cases = append(s.Cases, x)
	}
	return s
}

func (r *Report) junitThresholds() junitSuite {
	s := junitSuite{Name: "thresholds"}
	for i, b := range readable(r.Breaches) {
		s.Cases = append(s.Cases, junitCase{Class: "tattle.audit.threshold", Name: fmt.Sprintf("threshold %d", i+1), Failure: &junitOutcome{Type: ruleThreshold, Message: b, Text: b}})
	}
	return s
}
