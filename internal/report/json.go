package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// WriteJSON writes report.json: indented, keys in a fixed order.
func (r *Report) WriteJSON(w io.Writer) error {
	c := *r
	c.InWords = r.Label()
	if c.Findings == nil {
		c.Findings = []Finding{}
	}
	if c.Claims == nil {
		c.Claims = []Claim{}
	}
	return WriteIndented(w, &c)
}

// WriteIndented writes a value as JSON with indents of two spaces.
func WriteIndented(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(x)
}

// Parse reads what WriteJSON wrote. It returns an error for another schema, for a finding without words, for a
// key that a report does not have, and if the document holds more than one value or a key twice.
func Parse(document []byte) (*Report, error) {
	var head struct{ Schema, Version string }
	if err := json.Unmarshal(document, &head); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	switch head.Schema {
	case Schema:
	case "":
		return nil, fmt.Errorf("not a report of tattle: it has no schema, such as %q", Schema)
	default:
		return nil, fmt.Errorf("written by tattle %s with the schema %q, and this version reads %q: use that version, or run the command again", cmp.Or(head.Version, "in another version"), head.Schema, Schema)
	}
	if err := unique(document); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	var r Report
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	for _, f := range r.Findings {
		if _, ok := words[f.Code]; !ok {
			return nil, fmt.Errorf("not a report: findings: there is no finding %q", f.Code)
		}
	}
	sources := []Source{Recomputed, Searched, Timed}
	for _, c := range r.Claims {
		if !slices.Contains(sources, c.Source) {
			return nil, fmt.Errorf("not a report: claim %s: there is no reason %q", c.ID, c.Source)
		}
	}
	for _, p := range r.Pictures {
		if !slices.Contains(sources, p.Source) {
			return nil, fmt.Errorf("not a report: picture %s: there is no reason %q", p.Name, p.Source)
		}
	}
	if r.InWords != r.Label() {
		return nil, fmt.Errorf("not a report: verdict: it is %q, and the findings say %q", r.InWords, r.Label())
	}
	return &r, nil
}

// unique returns an error if an object of a document has a key twice, of which decoders take one and readers may
// see the other.
func unique(document []byte) error {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var value func() error
	value = func() error {
		token, err := d.Token()
		opening, ok := token.(json.Delim)
		if err != nil || !ok {
			return err
		}
		seen := map[string]bool{}
		for d.More() {
			if opening == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				if key := name.(string); seen[key] {
					return fmt.Errorf("the key %q stands there twice", key)
				} else {
					seen[key] = true
				}
			}
			if err := value(); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	}
	return value()
}
