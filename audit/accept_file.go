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
		return nil, fmt.Errorf("%s: %w", showName(path), err)
	}
	if wrong := keys.Undecoded(); len(wrong) > 0 {
		return nil, fmt.Errorf("%s: there is no key %q: a table [[accept]] has attribute, figure, limit, reason, owner and expiry", showName(path), wrong[0])
	}
	for i, x := range f.Accept {
		if err := x.check(); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", showName(path), i+1, err)
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
	if !slices.Contains(acceptableFigures(), x.Figure) {
		return fmt.Errorf("figure %q: must be one of %s", x.Figure, strings.Join(acceptableFigures(), ", "))
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
func (r *Result) Acceptances(reason, owner, expiry string) []Acceptance {
	var all []Acceptance
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, figure := range f.RestsOn(r.Settings.Confidence) {
			m, _ := f.measured(figure, r.Settings.Confidence)
			limit := max(.001, math.Ceil(1000*m.high)/1000)
			all = append(all, Acceptance{f.Attribute, figure, limit, reason, owner, expiry})
		}
	}
	return all
}

// WriteAcceptances writes what ReadAcceptances reads.
func WriteAcceptances(w io.Writer, all []Acceptance) error {
	var b bytes.Buffer
	b.WriteString("# Findings that are accepted. The build fails if a figure exceeds its limit, or after the expiry.\n\n")
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(acceptanceFile{all}); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
