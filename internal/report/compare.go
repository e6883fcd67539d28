package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Difference is a part of a report that does not hold, or that was not recomputed.
type Difference struct {
	What string // such as claim excess of gender
	Why  string
}

// String joins both.
func (d Difference) String() string { return d.What + ": " + d.Why }

// name is the claim in words.
func (c *Claim) name() string {
	s := "claim " + c.ID
	for _, of := range []string{c.Subject, c.Group} {
		if of != "" {
			s += " of " + of
		}
	}
	return s
}

// Compare compares the report as it is recorded with the report recomputed. It returns what differs, is missing
// or has nothing to be compared with, and the claims that were taken as they are, once for each ID and reason.
// Head is compared but for Timing, Rendered, Version and Command, which the caller compares with other files.
func (r *Report) Compare(again *Report) (found, left []Difference) {
	differ := func(what, is, was string) {
		if is != was {
			found = append(found, Difference{what, fmt.Sprintf("recorded %s, recomputed %s", clipped(was), clipped(is))})
		}
	}
	for _, h := range []struct {
		name    string
		is, was any
	}{
		{"title", again.Title, r.Title}, {"seed", again.Seed, r.Seed}, {"request", again.Request, r.Request},
		{"model", again.Model, r.Model}, {"data", again.Data, r.Data}, {"files", again.Files, r.Files},
	} {
		differ(h.name, encoded(h.is), encoded(h.was))
	}
	seen := map[string]bool{}
	for i := range r.Claims {
		c := &r.Claims[i]
		if key := c.name(); seen[key] {
			found = append(found, Difference{key, "it stands there twice"})
			continue
		} else {
			seen[key] = true
		}
		is := again.claim(c.ID, c.Subject, c.Group)
		switch {
		case c.Source != Recomputed && (is == nil || is.Source == c.Source):
			d := Difference{"claim " + c.ID, string(c.Source)}
			if !slices.Contains(left, d) {
				left = append(left, d)
			}
		case is == nil:
			found = append(found, Difference{c.name(), "recomputed nothing"})
		default:
			differ(c.name(), encoded(is), encoded(c))
		}
	}
	for i := range again.Claims {
		if c := &again.Claims[i]; !seen[c.name()] {
			found = append(found, Difference{c.name(), "recorded nothing, recomputed " + c.Value.String()})
		}
	}
	differ("findings", encoded(again.Findings), encoded(r.Findings))
	differ("series", encoded(again.Series), encoded(r.Series))
	differ("pictures", encoded(again.Pictures), encoded(r.Pictures))
	return found, left
}

// encoded is a value as compact JSON.
func encoded(x any) string {
	b, err := json.Marshal(x)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// clipped cuts a value to what fits a line.
func clipped(value string) string {
	if s := []rune(strings.Join(strings.Fields(value), " ")); len(s) > 200 {
		return string(s[:200]) + "…"
	}
	return value
}
