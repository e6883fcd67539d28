package report

import (
	"html/template"
	"slices"
	"strings"
)

// A block is one part of a document: a verdict, heading, paragraph, list, settings, table,
// chart, pictures, code, sideBySide or only. Every kind of
// document is built once as blocks; block_text.go, block_html.go and block_markdown.go
// render each of them.
type block any

// A verdictBlock is what a reader sees first: a badge, a sentence or two, and the few figures
// that they rest on.
type verdictBlock struct {
	Badge string
	Tone  Tone
	Says  string
	Tiles []tile
}

// A tile is a figure with its unit, its name above, and what it is about below.
type tile struct{ Name, Figure, Unit, About string }

// A heading of level 2 begins a section, one of level 3 a part of it. A folded section is closed
// on a page, and left out of the summary on a terminal.
type heading struct {
	Level  int
	Text   string
	Folded bool
}

// A paragraph is text of a class of the page's style, such as "soft".
type paragraph struct{ Text, Class string }

// A list is one of sentences.
type list struct {
	Items []string
	Class string
}

// settings are figures that have names.
type settings []Setting

// code is a command to be copied.
type code string

// A chart is a figure on the page, with what its marks mean.
type chart struct {
	Caption, Tag string
	SVG          template.HTML
	Keys         []legendKey
	Note         string
}

// A legendKey says what a mark of a chart means; Mark is drawn beside Name.
type legendKey struct {
	Mark template.HTML
	Name string
}

// pictures are an original and what was made of it.
type pictures struct {
	Shots   []picture
	Caption string
}

// A picture is one of them, with words for those who do not see it.
type picture struct {
	URI                template.URL
	Alt, Name, Caption string
}

// sideBySide are blocks in columns, where there is room.
type sideBySide []block

// small reports whether all are pairs of pictures, of which many fit beside one another.
func (s sideBySide) small() bool {
	return !slices.ContainsFunc(s, func(b block) bool {
		p, ok := b.(pictures)
		return !ok || len(p.Shots) > 2
	})
}

// only are blocks that some formats have.
type only struct {
	On     medium
	Blocks []block
}

// A medium is a set of formats.
type medium uint8

const (
	onTerminal medium = 1 << iota
	onPage
	onMarkdown
)

// A table has rows of words and figures. A row of one cell heads those that follow. In a
// cell, what stands after a line break is said below.
type table struct {
	Name  string // heads it
	Says  string // what is in its cells; may be empty
	Note  string // what is left out of it; may be empty
	Heads []string
	Rows  [][]string
	Kinds []string // how the page colours the rows; may be empty
	Words []int    // columns beside the first that hold words, not figures
	Page  []string // heads of the columns that a terminal leaves out
	Most  int      // rows that a terminal shows; zero for all
}

func (t *table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// words reports whether a column holds words.
func (t *table) words(column int) bool { return column == 0 || slices.Contains(t.Words, column) }

// about says what the table holds, where its name is a heading.
func (t *table) about() string { return strings.TrimSpace(t.Says + " " + t.Note) }

// intro is about with the name.
func (t *table) intro() string {
	if t.Name == "" {
		return t.about()
	}
	return strings.TrimSpace(t.Name + ". " + t.about())
}

// items are the lines of a block that text and Markdown show as a list.
func items(b block) (lines []string) {
	switch b := b.(type) {
	case list:
		return b.Items
	case settings:
		for _, s := range b {
			lines = append(lines, s.Key+": "+s.Value)
		}
	case verdictBlock:
		for _, t := range b.Tiles {
			lines = append(lines, t.words())
		}
	}
	return lines
}

// A document collects blocks.
type document struct{ blocks []block }

func (d *document) add(b ...block) { d.blocks = append(d.blocks, b...) }

func (d *document) section(title string) { d.add(heading{Level: 2, Text: title}) }

// folded begins a section of details.
func (d *document) folded(title string) { d.add(heading{2, title, true}) }

func (d *document) part(title string) { d.add(heading{Level: 3, Text: title}) }

// say adds a paragraph of the sentences that there are.
func (d *document) say(sentences ...string) { d.paragraph("", sentences) }

// soft adds a paragraph of lesser weight.
func (d *document) soft(sentences ...string) { d.paragraph("soft", sentences) }

func (d *document) paragraph(class string, sentences []string) {
	if said := strings.Join(readable(sentences), " "); said != "" {
		d.add(paragraph{said, class})
	}
}

// table adds a table that has rows.
func (d *document) table(t table) {
	if len(t.Rows) > 0 {
		d.add(t)
	}
}

// list adds a list that has items.
func (d *document) list(items []string) {
	if len(items) > 0 {
		d.add(list{Items: items})
	}
}

// settings adds figures with names, if there are any.
func (d *document) settings(rows []Setting) {
	if len(rows) > 0 {
		d.add(settings(rows))
	}
}

// chart adds a chart that shows something.
func (d *document) chart(c chart) {
	if c.SVG != "" {
		d.add(c)
	}
}

// on adds the blocks that fill adds, for some formats.
func (d *document) on(m medium, fill func(d *document)) {
	switch b := collect(fill); {
	case m == onTerminal|onPage|onMarkdown:
		d.add(b...)
	case len(b) > 0:
		d.add(only{m, b})
	}
}

// begins returns the heading with which a block begins a section; nil if it does not.
func begins(b block) *heading {
	switch b := b.(type) {
	case heading:
		if b.Level == 2 {
			return &b
		}
	case only:
		return begins(b.Blocks[0])
	}
	return nil
}

// detailsLast moves the folded sections behind the others.
func detailsLast(blocks []block) []block {
	var first, last []block
	folded := false
	for _, b := range blocks {
		if h := begins(b); h != nil {
			folded = h.Folded
		}
		if folded {
			last = append(last, b)
		} else {
			first = append(first, b)
		}
	}
	return append(first, last...)
}

// collect returns the blocks that fill adds.
func collect(fill func(d *document)) []block {
	var d document
	fill(&d)
	return d.blocks
}
