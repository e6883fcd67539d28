package report

import (
	"encoding/base64"
)

// A document is a report laid out: what every writer shows, in its order.
type document struct {
	Title, Subtitle string
	Lead            lead
	Sections        []section
	folded          []section // which stand behind the others
}

// A lead is what a reader sees first: a badge, a sentence, and the few figures behind it.
type lead struct {
	Badge string
	Tone  Tone
	Says  string
	Tiles []tile
}

// A tile is a figure with its unit, its name above, and what it is about below.
type tile struct{ Name, Figure, Unit, About string }

// Long reports whether the figure is too long to be printed large.
func (t tile) Long() bool { return len([]rune(t.Figure)) > 14 }

func (t tile) words() string {
	s := t.Name + ": " + t.Figure
	for _, more := range []string{t.Unit, t.About} {
		if more == t.Unit && more != "" {
			s += " " + more
		} else if more != "" {
			s += "; " + more
		}
	}
	return s
}

// A section has a title and parts. A folded one is closed on a page and left out on a terminal.
type section struct {
	Title  string
	Folded bool
	Parts  []part
}

// A part has what its fields hold, in their order.
type part struct {
	Title    string
	Text     string
	Items    []string
	Chart    *chart
	Pictures []shots
	Table    *table
	Terms    []term
	Code     string
}

// onlyPage reports whether a part has nothing that can be printed as text.
func (p part) onlyPage() bool {
	return p.Items == nil && p.Table == nil && p.Terms == nil && p.Code == "" && (p.Chart != nil || p.Pictures != nil)
}

// A chart is a drawing with what its marks mean.
type chart struct {
	Caption string
	SVG     markup
	Keys    []key
}

// A key says what a mark means.
type key struct {
	Mark markup
	Name string
}

// A table has rows of words and figures. In a cell, what stands after a line break is shown below.
type table struct {
	Heads []string
	Rows  [][]string
	Words int    // number of columns at the left that hold words; the others hold figures
	Left  []int  // columns that a terminal leaves out
	Unit  string // of all rows; empty if they differ or a column has it

	Unknown []int // rows without a figure of this run, which a terminal leaves out
}

// shots are the pictures of a group, such as an original and what was made of it.
type shots struct {
	Caption string
	Shots   []Picture
}

// uri returns the picture as a data URI, or its digest if the report was read from a file and has no picture.
func (p Picture) uri() string {
	if p.PNG == nil {
		return "sha256:" + p.SHA256
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(p.PNG)
}

// add adds a section that has parts.
func (d *document) add(s section) {
	switch {
	case len(s.Parts) == 0:
	case s.Folded:
		d.folded = append(d.folded, s)
	default:
		d.Sections = append(d.Sections, s)
	}
}
