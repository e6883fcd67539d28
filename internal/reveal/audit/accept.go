package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"tattle/internal/file"
)

// An Acceptance states that somebody accepts a finding: the figure of an attribute, up to a
// limit and until a day.
type Acceptance struct {
	Attribute string  `toml:"attribute" json:"attribute"`
	Figure    string  `toml:"figure" json:"figure"` // "excess", "gain" …
	Limit     float64 `toml:"limit" json:"limit"`   // largest accepted value of the figure
	Reason    string  `toml:"reason" json:"reason"`
	Owner     string  `toml:"owner" json:"owner"`
	Expiry    string  `toml:"expiry" json:"expiry"` // last day on which it holds, as 2027-01-31
}

// Accepted holds the acceptances that an audit was judged with, on a day.
type Accepted struct {
	Day     string       `json:"day"` // as 2027-01-31, UTC
	Entries []Acceptance `json:"entries"`
}

// Verdict returns the acceptances that together cover the verdict on f: one for each figure on
// which it rests. It returns nil if one is missing, or if the verdict cannot be accepted.
func (a *Accepted) Verdict(f *Finding, confidence float64) []Acceptance {
	if a == nil {
		return nil
	}
	return a.cover(f, f.RestsOn(confidence))
}

// Breach returns the acceptances that cover a breach by r, nil if they do not.
func (a *Accepted) Breach(r *Result, b Breach) []Acceptance {
	f := r.finding(b.Attribute)
	switch {
	case a == nil || f == nil:
		return nil
	case b.Figure == "":
		return a.Verdict(f, r.Settings.Confidence)
	}
	return a.cover(f, []string{b.Figure})
}

// cover returns an acceptance of each of the figures of f that is neither expired nor exceeded, nil if
// one is missing.
func (a *Accepted) cover(f *Finding, figures []string) (all []Acceptance) {
	for _, figure := range figures {
		i := slices.IndexFunc(a.Entries, func(x Acceptance) bool {
			return x.Attribute == f.Attribute && x.Figure == figure && x.Expiry >= a.Day && !x.exceeded(f)
		})
		if i < 0 {
			return nil
		}
		all = append(all, a.Entries[i])
	}
	return all
}

// exceeded reports whether the accepted figure of f is above the limit.
func (x Acceptance) exceeded(f *Finding) bool {
	m, known := f.measured(x.Figure, DefaultConfidence)
	return known && m.value > x.Limit
}

// violations returns a breach for each entry that is expired or exceeded.
func (a *Accepted) violations(r *Result) (list []Breach) {
	if a == nil {
		return nil
	}
	for _, x := range a.Entries {
		f, why := r.finding(x.Attribute), ""
		switch {
		case x.Expiry < a.Day:
			why = fmt.Sprintf("the acceptance by %s expired on %s", x.Owner, x.Expiry)
		case f != nil && x.exceeded(f):
			m, _ := f.measured(x.Figure, DefaultConfidence)
			why = fmt.Sprintf("it is %s, and at most %s is accepted", inUnits(x.Figure, f.Numeric, m.value), inUnits(x.Figure, f.Numeric, x.Limit))
		default:
			continue
		}
		list = append(list, Breach{Attribute: x.Attribute, Figure: x.Figure, sentence: fmt.Sprintf("accepted %s of %s: %s.", x.Figure, x.Attribute, why)})
	}
	return list
}

// finding returns the finding on an attribute, nil if it was not audited.
func (r *Result) finding(attribute string) *Finding {
	for _, f := range r.Findings {
		if f.Attribute == attribute {
			return f
		}
	}
	return nil
}

// Unused returns a warning for each entry that names no audited attribute, or a figure that
// the attribute does not have.
func (a *Accepted) Unused(r *Result) (said []string) {
	if a == nil {
		return nil
	}
	for _, x := range a.Entries {
		f := r.finding(x.Attribute)
		if f == nil {
			said = append(said, fmt.Sprintf("--baseline: no attribute %q was audited; the entry for its %s has no effect.", x.Attribute, x.Figure))
		} else if _, known := f.measured(x.Figure, DefaultConfidence); !known {
			said = append(said, fmt.Sprintf("--baseline: %s of %q was not measured; its entry has no effect.", x.Figure, x.Attribute))
		}
	}
	return said
}

// acceptanceFile is the layout of a file of acceptances.
type acceptanceFile struct {
	Accept []Acceptance `toml:"accept"`
}

// ReadAcceptances reads a TOML file with a table [[accept]] for each entry. Every key of an
// Acceptance must be there, and no other.
func ReadAcceptances(path string) ([]Acceptance, error) {
	document, err := file.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f acceptanceFile
	keys, err := toml.Decode(string(document), &f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Shown(path), err)
	}
	if wrong := keys.Undecoded(); len(wrong) > 0 {
		return nil, fmt.Errorf("%s: unknown key %q: the keys of a table [[accept]] are attribute, figure, limit, reason, owner and expiry", file.Shown(path), wrong[0])
	}
	for i, x := range f.Accept {
		if err := x.check(); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", file.Shown(path), i+1, err)
		}
	}
	return f.Accept, nil
}

// check returns an error if a value is missing or wrong.
func (x Acceptance) check() error {
	for _, key := range []struct{ name, value string }{{"attribute", x.Attribute}, {"figure", x.Figure}, {"reason", x.Reason}, {"owner", x.Owner}, {"expiry", x.Expiry}} {
		if strings.TrimSpace(key.value) == "" {
			return fmt.Errorf("%s is missing", key.name)
		}
	}
	if figures := []string{figureExcess, figureGain, figureAUC, figureCuriosity}; !slices.Contains(figures, x.Figure) {
		return fmt.Errorf("figure %q: must be one of %s", x.Figure, strings.Join(figures, ", "))
	}
	if !(x.Limit > 0) || math.IsInf(x.Limit, 0) {
		return errors.New("limit: must be a number above 0, such as 0.05 for 5 points")
	}
	if _, err := time.Parse(time.DateOnly, x.Expiry); err != nil {
		return fmt.Errorf("expiry %q: must be a day such as \"2027-01-31\"", x.Expiry)
	}
	return nil
}

// Acceptances returns an entry for each figure on which a verdict of the audit rests. The
// limit is the upper confidence limit of the figure, rounded up to three decimals.
func (r *Result) Acceptances(reason, owner, expiry string) (all []Acceptance) {
	for _, f := range r.Findings {
		for _, figure := range f.RestsOn(r.Settings.Confidence) {
			m, _ := f.measured(figure, r.Settings.Confidence)
			all = append(all, Acceptance{f.Attribute, figure, max(.001, math.Ceil(1000*m.high)/1000), reason, owner, expiry})
		}
	}
	return all
}

// WriteAcceptances writes what ReadAcceptances reads.
func WriteAcceptances(w io.Writer, all []Acceptance) error {
	b := bytes.NewBufferString("# Findings that are accepted. The build fails if a figure exceeds its limit, or after the expiry.\n\n")
	e := toml.NewEncoder(b)
	e.Indent = ""
	if err := e.Encode(acceptanceFile{all}); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
