package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
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
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
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
// control and every broken threshold is a test case. They fail as the command does:
// what breaks a threshold (Beyond or worse, where none was set) fails, inconclusive is an
// error, all else passes with words; where nothing is to fail nothing does. It returns an error
// if the report has no audit.
func (r *Report) WriteJUnit(w io.Writer) error {
	if r.Audit == nil {
		return errNoAudit
	}
	s := junitSuites{Name: "tattle audit", Time: noTime}
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

// noTime stands where readers want a time: the same audit gives the same bytes.
const noTime = "0"

func (s *junitSuite) count() {
	s.Tests, s.Time = len(s.Cases), noTime
	for i, c := range s.Cases {
		s.Cases[i].Time = noTime
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
	c := r.judged("tattle.audit.release", file.Name(a.Sample), a.Verdict, len(r.Breaches) > 0 || r.FailOn == nil && a.Verdict.ExceedsTarget())
	return junitSuite{Name: "release", Cases: []junitCase{c.saying(verdictWords(a), said)}}
}

func (r *Report) junitAttributes() junitSuite {
	s := junitSuite{Name: "attributes"}
	for i := range r.Audit.Findings {
		f := &r.Audit.Findings[i]
		c := r.judged("tattle.audit.attribute", file.Name(f.Attribute), f.Verdict, r.breaks(f))
		s.Cases = append(s.Cases, c.saying(briefly(f), printable(findingWords(f))))
	}
	return s
}

// judged is the test case of a verdict, which fails if it breaks a threshold.
func (r *Report) judged(class, name string, v audit.Verdict, breaks bool) junitCase {
	c := junitCase{Class: class, Name: name}
	switch {
	case breaks:
		c.Failure = &junitOutcome{Type: cmp.Or(ruleOf(v), ruleThreshold)}
	case ruleOf(v) == ruleInconclusive && !r.lenient():
		c.Error = &junitOutcome{Type: ruleOf(v)}
	}
	return c
}

// saying gives a test case its words.
func (c junitCase) saying(message, words string) junitCase {
	for _, o := range []*junitOutcome{c.Failure, c.Error} {
		if o != nil {
			o.Message, o.Text = printable(message), words
			return c
		}
	}
	c.Out = words
	return c
}

// briefly is an attribute's verdict with its excess, for a list of what failed.
func briefly(f *audit.Finding) string {
	s := fmt.Sprintf("%s: %s", file.Name(f.Attribute), f.Verdict)
	if f.BestBaseline() != nil {
		s += fmt.Sprintf(", excess %s points (at least %s)", signed(Number(f.Excess.Value)), signed(Number(f.Excess.Low)))
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
	return slices.ContainsFunc(a.Breaches, func(b audit.Breach) bool { return !b.Missing && b.Attribute == f.Attribute })
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
		x := junitCase{Class: "tattle.audit.control", Name: printable(c.Name)}
		if words := printable(controlNote(c)); c.Passed || r.lenient() {
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
	for i, b := range r.breaches() {
		s.Cases = append(s.Cases, junitCase{Class: "tattle.audit.threshold", Name: fmt.Sprintf("threshold %d", i+1), Failure: &junitOutcome{Type: ruleThreshold, Message: b, Text: b}})
	}
	return s
}
