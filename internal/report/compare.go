package report

import (
	"bytes"
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

// listed names a claim that is taken as it is; those of a search by their ID alone.
func (c *Claim) listed() string {
	if strings.HasPrefix(c.ID, "guess.") {
		return c.name()
	}
	return "claim " + c.ID
}

// told are the codes of findings in words of the command, which may name what only the run knew.
var told = []string{"warning", "note", "left_out", "sought"}

// Compare compares the report as it is recorded with the report recomputed. It returns what differs, is missing or has
// nothing to be compared with, and what was taken as it is, once for each ID and reason. If absent is not empty, inputs
// of the run are absent: it says which, and what could not be recomputed without them is taken as it is. Head is compared
// but for Timing, Rendered, Version and Command, which the caller compares with other files.
func (r *Report) Compare(again *Report, absent string) (found, left []Difference) {
	take := func(what, why string) {
		if d := (Difference{what, why}); !slices.Contains(left, d) {
			left = append(left, d)
		}
	}
	differ := func(what, is, was string) {
		if is != was {
			at := 0 // where they begin to differ, with the key before
			for at < min(len(is), len(was)) && is[at] == was[at] {
				at++
			}
			if at = max(0, at-40); at > 0 {
				is, was = "…"+strings.ToValidUTF8(is[at:], ""), "…"+strings.ToValidUTF8(was[at:], "")
			}
			found = append(found, Difference{what, fmt.Sprintf("recorded %s, recomputed %s", clipped(was), clipped(is))})
		}
	}
	for _, h := range []struct {
		name    string
		is, was any
	}{
		{"title", again.Title, r.Title}, {"seed", again.Seed, r.Seed}, {"request", again.Request, r.Request},
		{"model", again.Model, r.Model}, {"data", again.Data, r.Data}, {"target", again.Target, r.Target}, {"score", again.Score, r.Score}, {"layout", again.Layout, r.Layout}, {"files", again.Files, r.Files},
	} {
		differ(h.name, Canonical(h.is), Canonical(h.was))
	}
	seen := map[string]bool{}
	for i := range r.Claims {
		c := &r.Claims[i]
		if seen[c.name()] {
			found = append(found, Difference{c.name(), "it stands there twice"})
			continue
		}
		seen[c.name()] = true
		is := again.claim(c.ID, c.Subject, c.Group)
		switch {
		case c.Taken() && (is == nil || is.Source == c.Source):
			take(c.listed(), string(c.Source))
		case is == nil && absent != "":
			take("claim "+c.ID, absent)
		case is == nil:
			found = append(found, Difference{c.name(), "recomputed nothing"})
		default:
			differ(c.name(), Canonical(is), Canonical(c))
		}
	}
	for i := range again.Claims {
		if c := &again.Claims[i]; !seen[c.name()] {
			found = append(found, Difference{c.name(), "recorded nothing, recomputed " + c.Value.String()})
		}
	}
	r.compareFindings(again, absent, take, &found)
	if absent == "" {
		differ("series", Canonical(again.Series), Canonical(r.Series))
		r.comparePictures(again, take, &found)
	} else {
		take("series and pictures", absent)
	}
	return found, left
}

// compareFindings compares what is said first, and all other findings whatever their order.
func (r *Report) compareFindings(again *Report, absent string, take func(what, why string), found *[]Difference) {
	if absent != "" {
		take("findings", absent)
		return
	}
	if r.Verdict() != again.Verdict() {
		*found = append(*found, Difference{"finding " + r.Verdict(), "what is said first is, recomputed, " + again.Verdict()})
	}
	left := map[string]int{}
	for _, f := range again.Findings {
		left[Canonical(f)]++
	}
	for _, f := range r.Findings {
		switch key := Canonical(f); {
		case left[key] > 0:
			left[key]--
		case slices.Contains(told, f.Code):
			take("finding "+f.Code+": "+clipped(r.Say(f)), "nothing records what it depends on")
		default:
			*found = append(*found, Difference{"finding " + f.Code, "recomputed nothing: " + clipped(r.Say(f))})
		}
	}
	take("that the command gave no other notes", "nothing records what they depend on")
	for _, f := range again.Findings {
		if key := Canonical(f); left[key] > 0 {
			left[key] = 0
			*found = append(*found, Difference{"finding " + f.Code, "recorded nothing, recomputed: " + clipped(again.Say(f))})
		}
	}
}

// comparePictures compares pictures by their digests.
func (r *Report) comparePictures(again *Report, take func(what, why string), found *[]Difference) {
	is := map[string]string{}
	key := func(p Picture) string { return "picture " + p.Group + ", " + p.Name }
	for _, p := range again.Pictures {
		is[key(p)] = p.SHA256
	}
	kept := map[string]bool{}
	for _, p := range r.Pictures {
		switch sum := is[key(p)]; {
		case sum == p.SHA256 && sum != "":
		case sum == "" && p.Source != Recomputed:
			take("pictures of attacks", string(p.Source))
		default:
			*found = append(*found, Difference{key(p), "the digest is not that of the picture made again"})
		}
		kept[key(p)] = true
	}
	for _, p := range again.Pictures {
		if !kept[key(p)] {
			*found = append(*found, Difference{key(p), "recorded nothing"})
		}
	}
}

// Canonical is a value as compact JSON with sorted keys.
func Canonical(x any) string {
	b, err := json.Marshal(x)
	var any any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		err = d.Decode(&any)
	}
	if err == nil {
		b, err = json.Marshal(any)
	}
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
