package report

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"

	"tattle/internal/file"
)

// The parts of JUnit's XML that are written.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Skipped int         `xml:"skipped,attr"`
	Cases   []junitCase `xml:"testcase"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

// count counts a case.
func (n *junitCounts) count(c junitCase) {
	n.Tests++
	if c.Failure != nil {
		n.Failures++
	} else if c.Error != nil {
		n.Errors++
	}
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

// The codes of findings that make a test case fail, or an error.
const (
	Broken        = "broken"         // a rule of the audit is broken
	BrokenVerdict = "broken.verdict" // a rule is broken by the verdict on an attribute, which is a finding of its own
	Failed        = "failed"         // a control
	Undecided     = "undecided"      // the audit could not decide
)

// WriteJUnit writes the report as JUnit's XML: a test case for every finding whose words name a case (an attribute, a
// control), and for every broken rule that is about none of them. A case fails if a rule about its subject is broken.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: "tattle " + r.Subcommand()}
	add := func(class string, c junitCase) {
		i := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == class+"s" })
		if i < 0 {
			i = len(all.Suites)
			all.Suites = append(all.Suites, junitSuite{Name: class + "s"})
		}
		s := &all.Suites[i]
		c.Class = "tattle." + r.Subcommand() + "." + class
		s.Cases = append(s.Cases, c)
		s.count(c)
		all.count(c)
	}
	for _, f := range r.Findings {
		switch wording := WordingOf(f.Code); {
		case wording.Case != "":
			add(wording.Case, r.junitCase(f))
		case f.Code == Broken && f.Subject == "":
			said := printable(r.Say(f))
			add("rule", junitCase{Name: printable(strings.Join(f.Args, " ")), Failure: &junitOutcome{RuleThreshold, said, said}})
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitCase is the test case of a finding, with all that the report says of its subject.
func (r *Report) junitCase(f Finding) junitCase {
	var said []string
	var outcome string
	for _, g := range r.Findings {
		if g.Subject != f.Subject {
			continue
		}
		said = append(said, printable(r.Say(g)))
		switch g.Code {
		case Broken, BrokenVerdict, Failed:
			outcome = Broken
		case Undecided:
			if outcome == "" {
				outcome = Undecided
			}
		}
	}
	words, first := strings.Join(said, "\n"), printable(r.Say(f))
	c := junitCase{Name: printable(file.Name(f.Subject))}
	rule := WordingOf(f.Code).Rule
	if rule == "" {
		rule = RuleThreshold
	}
	switch outcome {
	case Broken:
		c.Failure = &junitOutcome{rule, first, words}
	case Undecided:
		c.Error = &junitOutcome{RuleInconclusive, first, words}
	default:
		c.Out = words
	}
	return c
}
