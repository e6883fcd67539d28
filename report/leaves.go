package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A leaf is one value of a JSON document that holds no others: a number, a string,
// true, false or null, or an object or list without entries.
type leaf struct {
	path  string // as release.noise.sigma, bounds[0].std_quantiles["0.5"]
	value string // as JSON has it
}

// leavesOf returns every leaf of a JSON document, in its order. It returns an error if
// an object has a key twice, of which decoders take one and readers may see the other.
func leavesOf(document []byte) ([]leaf, error) {
	if !json.Valid(document) { // also limits how deep values nest
		return nil, fmt.Errorf("not one JSON value")
	}
	r := leafReader{tokens: json.NewDecoder(bytes.NewReader(document))}
	r.tokens.UseNumber()
	err := r.value("")
	return r.leaves, err
}

// A leafReader collects the leaves of a valid document.
type leafReader struct {
	tokens *json.Decoder
	leaves []leaf
}

// value reads one value with all that is in it.
func (r *leafReader) value(path string) error {
	token, err := r.tokens.Token()
	if err != nil {
		return err
	}
	if opening, ok := token.(json.Delim); ok {
		return r.entries(path, opening)
	}
	value, err := json.Marshal(token)
	r.leaves = append(r.leaves, leaf{path, string(value)})
	return err
}

// entries reads what follows the opening bracket of an object or a list, to its closing one.
func (r *leafReader) entries(path string, opening json.Delim) error {
	if !r.tokens.More() {
		r.leaves = append(r.leaves, leaf{path, map[json.Delim]string{'{': "{}", '[': "[]"}[opening]})
	}
	seen := map[string]bool{}
	for i := 0; r.tokens.More(); i++ {
		at := path + "[" + strconv.Itoa(i) + "]"
		if opening == '{' {
			key, err := r.tokens.Token()
			if err != nil {
				return err
			}
			if at = Within(path, key.(string)); seen[at] {
				return fmt.Errorf("the key %s stands there twice", at)
			}
			seen[at] = true
		}
		if err := r.value(at); err != nil {
			return err
		}
	}
	_, err := r.tokens.Token()
	return err
}

// plainKey reports whether a key needs no quotes in a path.
func plainKey(key string) bool {
	odd := func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	return key != "" && key[0] > '9' && !strings.ContainsFunc(key, odd)
}

// Within returns the path of a key of the object at path.
func Within(path, key string) string {
	switch {
	case !plainKey(key):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// Unchecked names a part of a report that cannot be recomputed.
type Unchecked struct {
	Path string // of the part, with all that is in it; [*] stands for any place in a list
	Name string // in plain English
	Why  string // it cannot be recomputed
}

// Covers reports whether the leaf at a path belongs to the part.
func (u Unchecked) Covers(path string) bool {
	for rest := u.Path; ; {
		begins, after, anywhere := strings.Cut(rest, "[*]")
		at, ok := strings.CutPrefix(path, begins)
		if !ok || !anywhere {
			return ok && (at == "" || at[0] == '.' || at[0] == '[')
		}
		if path, ok = afterIndex(at); !ok {
			return false
		}
		rest = after
	}
}

// afterIndex returns what follows the index of a list that path begins with.
func afterIndex(path string) (string, bool) {
	index, after, ok := strings.Cut(path, "]")
	_, err := strconv.ParseUint(strings.TrimPrefix(index, "["), 10, 63)
	return after, ok && err == nil && strings.HasPrefix(index, "[")
}

// Compare compares every leaf of a report as it is recorded with the same report
// recomputed, but for those that unchecked covers. It returns a line for each leaf that
// differs, is missing or has nothing to be compared with, and the entries of unchecked
// that the recorded report has leaves of. It returns an error if the document cannot be read.
func Compare(document []byte, recomputed *Report, unchecked []Unchecked) (found []string, left []Unchecked, err error) {
	recorded, err := leavesOf(document)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	if err := recomputed.WriteJSON(&b); err != nil {
		return nil, nil, err
	}
	fresh, err := leavesOf(b.Bytes())
	if err != nil {
		return nil, nil, err
	}
	now := make(map[string]string, len(fresh))
	for _, l := range fresh {
		now[l.path] = l.value
	}
	covered := make([]bool, len(unchecked))
	by := func(path string) int {
		return slices.IndexFunc(unchecked, func(u Unchecked) bool { return u.Covers(path) })
	}
	for _, l := range recorded {
		value, known := now[l.path]
		delete(now, l.path)
		if i := by(l.path); i >= 0 {
			covered[i] = true
		} else if !known {
			found = append(found, fmt.Sprintf("%s: recorded %s, recomputed nothing", l.path, clipped(l.value)))
		} else if !sameLeaf(l.value, value) {
			found = append(found, fmt.Sprintf("%s: recorded %s, recomputed %s", l.path, clipped(l.value), clipped(value)))
		}
	}
	for _, l := range fresh {
		if _, missing := now[l.path]; missing && by(l.path) < 0 {
			found = append(found, fmt.Sprintf("%s: recorded nothing, recomputed %s", l.path, clipped(l.value)))
		}
	}
	for i, u := range unchecked {
		if covered[i] {
			left = append(left, u)
		}
	}
	return found, left, nil
}

// sameLeaf reports whether two values are equal. Numbers with a fraction or an exponent are
// equal where their float64 are.
func sameLeaf(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return false
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}

// clipped cuts a value to what fits a line.
func clipped(value string) string {
	if s := []rune(value); len(s) > 60 {
		return string(s[:60]) + "…"
	}
	return value
}

// ParseJSON reads what WriteJSON wrote. It returns an error for another schema, and
// if the document holds more than one value.
func ParseJSON(document []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(document, &r); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	switch r.Schema {
	case Schema:
		return &r, nil
	case "":
		return nil, fmt.Errorf("not a report of tattle: it has no schema, such as %q", Schema)
	}
	return nil, fmt.Errorf("written by tattle %s with the schema %q, and this version reads %q: use that version, or run the command again", cmp.Or(r.Version, "in another version"), r.Schema, Schema)
}

// ReadJSON is ParseJSON of all that rd holds.
func ReadJSON(rd io.Reader) (*Report, error) {
	document, err := io.ReadAll(rd)
	if err != nil {
		return nil, err
	}
	return ParseJSON(document)
}
