package report

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tattle/internal/file"
)

// A Part is where a finding stands in a report.
type Part int

// The parts, in the order in which a reader meets them.
const (
	Verdict   Part = iota // the badge and the sentence that the report begins with
	Evidence              // why
	Ruled                 // a rule that is broken, or a finding that somebody accepts
	Meaning               // what it means for the reader
	Advice                // what to do
	Limit                 // what the figures do not show
	About                 // how data were read
	Condition             // what the limits depend on
	Detail                // shown by a table alone
	Caption               // stands above the table of its subject
)

// A Tone says whether a finding asks for attention.
type Tone string

// The tones.
const (
	Calm Tone = "calm"
	Good Tone = "good"
	Warn Tone = "warn"
	Bad  Tone = "bad"
)

// A Wording is what a finding says. In Says, braces hold a place to be filled in:
//
//	{subject}      the finding's subject
//	{1} {2}        its arguments
//	{id}           the figure of the claim with that ID about the subject, or else about no subject
//	{id.asked} {id.low} {id.high} {id.interval} {id.value} {id.n} {id.p} {id.confidence} {id.group}
//	{id@name}      what stands beside the claim under that name
type Wording struct {
	Part  Part
	Badge string
	Label string // a word for tables; empty for the badge
	Tone  Tone
	Says  string
	Rule  string // the rule of SARIF that it breaks; empty for none
	Case  string // what its subject is as a test case of JUnit: attribute, control; empty for none
}

// WordingOf returns the words of a finding's code. It panics if there are none: every code has words.
func WordingOf(code string) Wording {
	w, ok := words[code]
	if !ok {
		panic("report: no words for the finding " + code)
	}
	return w
}

var place = regexp.MustCompile(`\{([^{}]+)\}`)

// Say returns the sentence of a finding.
func (r *Report) Say(f Finding) string {
	says := WordingOf(f.Code).Says
	if strings.HasPrefix(says, "{subject}:") { // a name, and not the beginning of a sentence
		return r.fill(says, f)
	}
	return begun(unicode.ToUpper, r.fill(says, f))
}

// fill puts what they stand for into the places of a template.
func (r *Report) fill(template string, f Finding) string {
	return place.ReplaceAllStringFunc(template, func(s string) string {
		name := s[1 : len(s)-1]
		if name == "subject" {
			return file.Name(f.Subject)
		}
		if name == "score" || name == "Score" {
			score := cmp.Or(r.Score, "accuracy")
			if name == "Score" {
				score = begun(unicode.ToUpper, score)
			}
			return score
		}
		if i, err := strconv.Atoi(name); err == nil {
			if i < 1 || i > len(f.Args) {
				return "–"
			}
			return f.Args[i-1]
		}
		figure := r.figure(name, f)
		if !strings.Contains(figure, " to ") { // an interval and a table show the sign, a sentence says it
			figure = strings.TrimPrefix(figure, "+")
		}
		return figure
	})
}

// figure returns the part of a claim that a place names.
func (r *Report) figure(name string, f Finding) string {
	id, beside, besides := strings.Cut(name, "@")
	field := "figure"
	if at := strings.LastIndexByte(id, '.'); !besides && at >= 0 && shows[id[at+1:]] != nil {
		id, field = id[:at], id[at+1:]
	}
	c := r.about(id, f.Subject)
	for _, group := range f.Args { // a claim about what the finding names
		if of := r.grouped(id, group, f.Subject); of != nil {
			c = of
			break
		}
	}
	if c == nil {
		return "–"
	}
	if besides {
		return c.beside(beside).Figure()
	}
	return shows[field](c)
}

// grouped returns the claim with an ID and a group: about the subject, or else the first; nil if there is none.
func (r *Report) grouped(id, group, subject string) (of *Claim) {
	for i, c := range r.Claims {
		if c.ID == id && c.Group == group && group != "" && (of == nil || c.Subject == subject && of.Subject != subject) {
			of = &r.Claims[i]
		}
	}
	return of
}

// about returns the claim with an ID about a subject, or else about no subject, or else the first one that is known.
func (r *Report) about(id, subject string) *Claim {
	for _, s := range []string{subject, ""} {
		if c := r.Claim(id, s); c != nil {
			return c
		}
	}
	i := slices.IndexFunc(r.Claims, func(c Claim) bool {
		return c.ID == id && (subject == "" || c.Subject == subject) && c.Value.Figure() != "–"
	})
	if i < 0 {
		return nil
	}
	return &r.Claims[i]
}

// beside returns what stands beside a claim under a name; an unknown value if nothing does.
func (c *Claim) beside(name string) Value {
	for _, b := range c.Beside {
		if b.Name == name {
			return b.Value
		}
	}
	return Exactly(nan, c.Value.Unit)
}

// shows are the parts of a claim that places and columns name.
var shows = map[string]func(*Claim) string{
	"figure":   func(c *Claim) string { return c.Value.Figure() },
	"asked":    func(c *Claim) string { return c.Value.Asked() },
	"value":    func(c *Claim) string { return c.Value.String() },
	"bare":     func(c *Claim) string { return c.Value.bare() },
	"low":      func(c *Claim) string { return c.Value.LowFigure() },
	"high":     func(c *Claim) string { v := c.Value; return v.Unit.print(v.High, up) + v.Unit.behind(known(v.High)) },
	"interval": func(c *Claim) string { return c.Value.interval() },
	"least":    func(c *Claim) string { return c.Value.Unit.print(c.Value.Low, down) },
	"most":     func(c *Claim) string { return c.Value.Unit.print(c.Value.High, up) },
	"confidence": func(c *Claim) string { // none: no limit from random draws
		if c.Value.Confidence == 0 {
			return "–"
		}
		return percent(c.Value.Confidence, nearest)
	},
	"n":     func(c *Claim) string { return Grouped(c.N) },
	"p":     func(c *Claim) string { return PValue(c.P) },
	"kind":  func(c *Claim) string { return string(c.Kind) },
	"group": func(c *Claim) string { return file.Name(c.Group) },
	"unit": func(c *Claim) string {
		return strings.TrimSuffix(strings.TrimPrefix(string(c.Value.Unit), "of the "), " units")
	},
}

// begun returns a text with another case of its first letter.
func begun(with func(rune) rune, s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(with(first)) + s[n:]
}

// List joins names: "a", "a and b", "a, b and c".
func List(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// Many says how many there are: "1 epoch", "2,000 epochs".
func Many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") {
		what += "e"
	}
	return Grouped(n) + " " + what + "s"
}
