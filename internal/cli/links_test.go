package cli

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tattle/internal/must"
)

const (
	mostLines  = 250 // of a page of docs, without tables that a program writes
	mostReadme = 120
)

// link matches a link or a picture of Markdown, with its target.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// generated matches a table that a program writes, between its marks.
var generated = regexp.MustCompile(`(?s)<!-- paper [AB] -->.*?<!-- end of paper [AB] -->\n`)

// TestLinks: files and headings that documents link are there, addresses elsewhere are well formed, and every page is short and
// begins with a table of its contents.
func TestLinks(t *testing.T) {
	t.Parallel()
	found := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "python/*.md"} {
		for _, path := range must.Get(filepath.Glob(filepath.Join("../..", pattern)))(t) {
			text, headings := proseOf(t, path)
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				found++
				if why := broken(t, path, m[1]); why != "" {
					t.Errorf("%s: %s: %s", filepath.Base(path), m[1], why)
				}
			}
			written := generated.ReplaceAll(must.Get(os.ReadFile(path))(t), nil)
			if lines := bytes.Count(written, []byte("\n")); pattern == "docs/*.md" && lines > mostLines || filepath.Base(path) == "README.md" && lines > mostReadme {
				t.Errorf("%s has %d lines", path, lines)
			}
			for heading := range headings {
				if pattern == "docs/*.md" && len(headings) > 1 && !strings.Contains(text, "](#"+heading+")") {
					t.Errorf("%s: the table of contents lacks %s", path, heading)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("the documents have %d links", found)
	}
}

// proseOf returns a document without its code blocks, and the anchors of its headings of the second level, which its table of
// contents must list.
func proseOf(t *testing.T, path string) (text string, headings map[string]bool) {
	t.Helper()
	headings = map[string]bool{}
	var b strings.Builder
	code := false
	for line := range strings.Lines(string(must.Get(os.ReadFile(path))(t))) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code {
			b.WriteString(line)
			if title, is := strings.CutPrefix(line, "## "); is {
				headings[anchorOf(title)] = true
			}
		}
	}
	return b.String(), headings
}

// punctuation is what an anchor leaves out of a heading.
var punctuation = regexp.MustCompile(`[^\pL\pN\- _]`)

// anchorOf returns the anchor that forges give a heading.
func anchorOf(title string) string {
	return strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
}

// broken says why the link of a document leads nowhere.
func broken(t *testing.T, document, to string) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" {
		if u.Scheme != "https" || !strings.Contains(u.Host, ".") {
			return "is not an https address"
		}
		return ""
	}
	path := document
	if u.Path != "" {
		path = filepath.Join(filepath.Dir(document), u.Path)
	}
	if !exists(path) {
		return "there is no such file"
	}
	if _, headings := proseOf(t, path); u.Fragment != "" && !headings[u.Fragment] {
		return "there is no such heading"
	}
	return ""
}
