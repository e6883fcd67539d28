package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/file"
)

// Bounds of a rule.
const (
	maxRule    = 10000 // bytes
	maxClasses = 100   // more than any attribute is asked for by name
)

// Rule turns a column of text into classes: "gender"; "age: <=30, >30"; "age:
// <=20; 21..35; >35"; "race: White; Black, Asian; *"; "age: young = <=30; old =
// >30". Classes are separated by ";", or, where there is none, by ",", and the
// entries of a class by ",". An entry is a value as it is written (which is
// tried first), a comparison (<, <=, >, >=, =), a range a..b that includes both
// ends, or *, all others, once. What stands in double quotes is a value and
// nothing else. A column alone has its distinct values for classes, sorted as
// numbers where all are, and by letters otherwise.
type Rule struct {
	Column  string  // that it is applied to
	classes []class // none: the column's distinct values
}

// class is one class of a rule.
type class struct {
	name    string // "" is made of the entries
	entries []term
}

// term is an entry of a class as it is written.
type term struct {
	text   string
	quoted bool
}

// others is the entry that takes what no other does, restTitle what it is called.
const (
	others    = "*"
	restTitle = "others"
)

// ParseRule reads a rule. Whether an entry is a value is seen only from the
// column that the rule is applied to.
func ParseRule(s string) (Rule, error) {
	if len(s) > maxRule {
		return Rule{}, fmt.Errorf("a rule of %d bytes: want at most %d", len(s), maxRule)
	}
	fields := splitOutside(s, ':', 2)
	r := Rule{Column: unquote(fields[0]).text}
	if r.Column == "" {
		return Rule{}, fmt.Errorf("rule %q names no column: want one such as \"gender\" or \"age: <=30; >30\"", s)
	}
	if len(fields) == 1 {
		return r, nil
	}
	separator := byte(',')
	if len(splitOutside(fields[1], ';', -1)) > 1 {
		separator = ';'
	}
	for _, text := range splitOutside(fields[1], separator, -1) {
		c, err := parseClass(text)
		if err != nil {
			return Rule{}, fmt.Errorf("rule %q: %w", s, err)
		}
		r.classes = append(r.classes, c)
	}
	if err := r.check(); err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", s, err)
	}
	return r, nil
}

// check says what is wrong with the classes.
func (r Rule) check() error {
	if n := len(r.classes); n < 2 || n > maxClasses {
		return fmt.Errorf("it makes %s: want 2 to %d, separated by \";\"; \"*\" is all others", plural(n, "class"), maxClasses)
	}
	seen := map[term]bool{}
	names := map[string]bool{}
	for _, c := range r.classes {
		for _, e := range c.entries {
			if seen[e] {
				return fmt.Errorf("%q stands in it twice: leave one out", e.text)
			}
			seen[e] = true
		}
		title := c.title()
		if strings.EqualFold(title, restTitle) {
			title = restTitle
		}
		if names[title] {
			return fmt.Errorf("two classes %q: name them apart, as in \"rest = *\"", title)
		}
		names[title] = true
	}
	return nil
}

// parseClass reads "name = entry, entry" or "entry, entry".
func parseClass(s string) (class, error) {
	var c class
	if m := className.FindStringSubmatch(s); m != nil {
		c.name, s = unquote(m[1]).text, m[2]
	}
	for _, text := range splitOutside(s, ',', -1) {
		e := unquote(text)
		if e.text == "" && !e.quoted {
			return c, fmt.Errorf("an entry is empty: take the extra separator out")
		}
		c.entries = append(c.entries, e)
	}
	return c, nil
}

// className matches the name of a class and what follows its "=", which is not part of <= or >=.
var className = regexp.MustCompile(`(?s)^\s*("[^"]*"|[^"=]*[^"=<>\s])\s*=(.*)$`)

// title returns the class's name, or its entries.
func (c class) title() string {
	if c.name != "" {
		return c.name
	}
	texts := make([]string, len(c.entries))
	for i, e := range c.entries {
		texts[i] = e.text
		if e.all() {
			texts[i] = restTitle
		}
	}
	return strings.Join(texts, ", ")
}

// all reports whether the entry takes all others.
func (e term) all() bool { return e.text == others && !e.quoted }

// splitOutside splits at separators outside double quotes, into at most n parts
// (−1: all).
func splitOutside(s string, separator byte, n int) []string {
	var parts []string
	quoted, from := false, 0
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted && len(parts)+1 != n:
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}

// unquote trims white space, and the quotes around what is left.
func unquote(s string) term {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return term{s[1 : len(s)-1], true}
	}
	return term{s, false}
}

// interval is the float64 numbers from lo to hi, both ends included.
type interval struct{ lo, hi float64 }

// number reads a finite number.
func number(s string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// intervalText matches a comparison, a range, "70+" or a number.
var intervalText = regexp.MustCompile(strings.NewReplacer(
	"N", `([+-]?(?:[0-9]+(?:\.[0-9]+|\.??)|\.[0-9]+)(?:e[+-]?[0-9]+)?)`,
	"_", `[\s\pZ]*`,
).Replace(`^(?:(<=?|>=?|=|(?:more than|over|less than|under) )_N|N_(?:\.\.| to |–|-)_N|N_(\+)|N)$`))

// parseInterval reads "30", "20-29", "20..29", "20 to 29", "<=30", "more than
// 70" or "70+".
func parseInterval(s string) (interval, bool) {
	m := intervalText.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return interval{}, false
	}
	x, ok := number(m[2] + m[3] + m[5] + m[7]) // one of them is there
	v := interval{x, x}
	switch word, infinite := m[1]+m[6], math.Inf(1); word {
	case "+", ">=":
		v.hi = infinite
	case "<=":
		v.lo = -infinite
	case ">", "more than ", "over ":
		v = interval{math.Nextafter(x, infinite), infinite}
	case "<", "less than ", "under ":
		v = interval{-infinite, math.Nextafter(x, -infinite)}
	}
	if m[4] != "" {
		hi, isNumber := number(m[4])
		v.hi, ok = hi, ok && isNumber && v.lo <= hi
	}
	return v, ok
}

// distinctValues returns the values there are, sorted.
func distinctValues(values []string) []string {
	seen := map[string]bool{}
	for _, v := range values {
		seen[v] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// sortValues sorts by number where all are numbers or intervals of them.
func sortValues(values []string) {
	at := map[string]interval{}
	for _, v := range values {
		x, ok := parseInterval(v)
		if !ok {
			return // sorted by letters already
		}
		at[v] = x
	}
	slices.SortStableFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(at[a].lo, at[b].lo), cmp.Compare(at[a].hi, at[b].hi))
	})
}

// ranged is a comparison or range of values, and the class that it is an entry of.
type ranged struct {
	interval
	class int
}

// group gives every value the class that it falls in, or −1: the one that names it, or the one whose ranges hold it
// wholly, or the one of all others. Entries are values where there are such, and otherwise comparisons and ranges.
func (r Rule) group(name string, distinct []string) ([]string, map[string]int, error) {
	var titles []string
	var ranges []ranged
	classes, rest := map[string]int{}, -1
	for i, c := range r.classes {
		titles = append(titles, c.title())
		for _, e := range c.entries {
			found := named(e.text, distinct)
			v, isRange := parseInterval(e.text)
			for _, value := range found {
				if other, taken := classes[value]; taken && other != i {
					return nil, nil, fmt.Errorf("%s %q is named in two classes: leave it in one", name, value)
				}
				classes[value] = i
			}
			switch {
			case len(found) > 0:
			case e.all():
				rest = i
			case isRange && !e.quoted:
				ranges = append(ranges, ranged{v, i})
			default:
				sortValues(distinct)
				return nil, nil, fmt.Errorf("%s has no value %q: it has %s", name, e.text, file.ShownNames(distinct))
			}
		}
	}
	for _, value := range distinct {
		if _, taken := classes[value]; taken {
			continue
		}
		class := -1
		v, isNumber := parseInterval(value)
		for _, w := range ranges {
			switch {
			case !isNumber || v.lo > w.hi || v.hi < w.lo:
			case v.lo < w.lo || v.hi > w.hi:
				return nil, nil, fmt.Errorf("%s %q falls into %q only in part: draw the classes' limits along the values", name, value, titles[w.class])
			case class >= 0 && class != w.class:
				return nil, nil, fmt.Errorf("%s %q falls into both %q and %q: keep the classes apart", name, value, titles[class], titles[w.class])
			default:
				class = w.class
			}
		}
		if class < 0 && value != "" {
			class = rest
		}
		classes[value] = class
	}
	return titles, classes, nil
}

// named returns the values that a text names: the one that is written so, or
// those that differ in case alone.
func named(text string, distinct []string) []string {
	if _, ok := slices.BinarySearch(distinct, text); ok {
		return []string{text}
	}
	return matching(distinct, func(v string) bool { return strings.EqualFold(v, text) })
}

// Grouped reports whether the rule says which classes there are; otherwise they
// are the column's distinct values.
func (r Rule) Grouped() bool { return len(r.classes) > 0 }
