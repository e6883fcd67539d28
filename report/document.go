package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// build returns all blocks of the report, the same for every format: the verdict, what explains
// it, and the details in sections that a page folds away.
func (r *Report) build() *document {
	d := &document{}
	d.add(r.lead())
	d.reconstructions(r)
	d.curious(r)
	d.design(r)
	d.everyAdversary(r)
	d.nextSteps(r)
	d.published(r)
	d.limits(r)
	d.notes(r)
	d.listDetails(r)
	d.bounds(r)
	d.training(r.Training)
	d.accuracy(r)
	d.facts(r)
	d.on(onPage|onMarkdown, func(d *document) { d.repeat(r) })
	d.words(r)
	d.blocks = detailsLast(d.blocks)
	d.on(onTerminal, func(d *document) { d.section("verdict: " + r.VerdictLine()) })
	return d
}

// Headline returns what the report says first: the badge and the sentence.
func (r *Report) Headline() (badge, says string) {
	v := r.lead()
	return v.Badge, v.Says
}

// KeyFigure is the figure of the verdict that a list of reports shows, such as "Excess, gender: +3.4 points"; empty
// if there is none.
func (r *Report) KeyFigure() string {
	tiles := r.lead().Tiles
	at := max(0, slices.IndexFunc(tiles, func(t tile) bool { return strings.HasPrefix(t.Name, "Excess") }))
	if at >= len(tiles) {
		return ""
	}
	t := tiles[at]
	t.About = ""
	return t.words()
}

// VerdictLine is the verdict in a few words: the outcome of an audit, for which builds are searched,
// or the badge.
func (r *Report) VerdictLine() string {
	badge := r.lead().Badge
	return strings.ToLower(badge[:1]) + badge[1:]
}

// VerdictSentence is the outcome of an audit, for which builds are searched, or what the report says first.
func (r *Report) VerdictSentence() string {
	badge, says := r.Headline()
	return badge + ". " + says
}

// limits adds the warnings.
func (d *document) limits(r *Report) {
	if len(r.Warnings) == 0 {
		return
	}
	d.on(onPage|onMarkdown, func(d *document) {
		d.section("Limits of these figures")
		d.add(list{r.Warnings, "warnings"})
	})
	d.on(onTerminal, func(d *document) {
		d.section("warning: " + r.Warnings[0])
		for _, s := range r.Warnings[1:] {
			d.say("warning: " + s)
		}
	})
}

// notes adds what a reader of the terminal must know about how the data were read; a page has it
// beside the other facts of the run.
func (d *document) notes(r *Report) {
	d.on(onTerminal, func(d *document) {
		for i, s := range r.Data.Notes {
			if i == 0 && len(r.Warnings) == 0 { // else it would belong to the folded section before it
				d.section("data: " + sentenceOf(s))
				continue
			}
			d.say("data: " + sentenceOf(s))
		}
	})
}

// facts adds the results in sentences.
func (d *document) facts(r *Report) {
	said := r.sentences()
	if len(said) == 0 {
		return
	}
	d.folded("The results in sentences")
	d.list(readable(said))
}

// Sentences returns the results of the report in sentences, the verdict first.
func (r *Report) Sentences() []string {
	return append(append([]string{r.VerdictSentence()}, readable(r.listSays())...), r.sentences()...)
}

// WriteText writes the summary of the report for a terminal.
func (r *Report) WriteText(w io.Writer) error { return r.writeText(w, false) }

// WriteDetails writes the whole report for a terminal.
func (r *Report) WriteDetails(w io.Writer) error { return r.writeText(w, true) }

func (r *Report) writeText(w io.Writer, details bool) error {
	t := &textWriter{errWriter: &errWriter{w: w}, said: map[string]bool{"": true}, details: details}
	wrap(t, r.Title)
	fmt.Fprintln(t)
	t.blocks(r.build().blocks)
	if t.left > 0 {
		wrap(t, fmt.Sprintf("%s of details left out: see the page, or --details.", Count(t.left, "section")))
	}
	return t.err
}

// WriteMarkdown writes the report as Markdown. It has no times in it.
func (r *Report) WriteMarkdown(w io.Writer) error {
	d := document{[]block{heading{Level: 1, Text: r.Title}}}
	d.add(r.build().blocks...)
	return d.writeMarkdown(w)
}

func (d *document) writeMarkdown(w io.Writer) error {
	m := &markdownWriter{errWriter: &errWriter{w: w}}
	m.blocks(d.blocks)
	m.end()
	return m.err
}

// WriteHTML writes the report as one file that needs nothing else: no font, no network. Its only
// script copies commands.
func (r *Report) WriteHTML(w io.Writer) error {
	return writePage(w, r.Title, r.subtitle(), r.build().blocks)
}

// writePage writes blocks as a page.
func writePage(w io.Writer, title, subtitle string, blocks []block) error {
	p := &htmlWriter{ids: map[string]bool{}}
	p.printf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '%s'">
<title>%s · tattle</title>
<style>
%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>%s</h1>
<p class="soft">%s</p>
</header>
<main id="main">
`, scriptDigest(), inHTML(title), pageStyle, inHTML(title), inHTML(subtitle))
	p.blocks(blocks)
	p.end()
	p.printf("</main>\n<footer>Written by tattle. This file is self-contained: nothing is loaded from anywhere.</footer>\n<script>%s</script>\n</body>\n</html>\n", pageScript)
	_, err := io.WriteString(w, p.String())
	return err
}

// scriptDigest is the digest by which the page allows its own script and no other.
func scriptDigest() string {
	sum := sha256.Sum256([]byte(pageScript))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
