package serve

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"
	"unicode"

	"tattle/internal/file"
	"tattle/report"
)

// entry is one run in the list: what its report says, in short.
type entry struct {
	Path     string // of its folder, slashes between; rootRun for the folder itself
	Size     int64
	Modified time.Time

	Title    string
	Command  string // as it was typed
	Verb     string // its first word: train, bound, audit
	Verdict  string
	Outcome  report.Outcome
	Kind     string // the outcome as it is shown and filtered by
	Rest     string // the verdict, cut short; empty where it says no more than Kind
	Headline string // the figure most looked for
	Excess   float64
	Broken   string // why there is nothing to show; empty where all is well

	words string // all that the filter looks at, in lower case
}

// newEntry is a run whose report is not read yet.
func newEntry(folder string, info fs.FileInfo) *entry {
	e := &entry{Path: folder, Size: info.Size(), Modified: info.ModTime(), Rest: "being read", Excess: math.NaN()}
	e.Title, e.words = e.Name(), strings.ToLower(folder)
	return e
}

// same tells whether an entry that was read is of the file that was found.
func (e *entry) same(found *entry) bool {
	return e != nil && e.Size == found.Size && e.Modified.Equal(found.Modified)
}

var errMisfit = errors.New(reportName + ": its parts do not fit together")

// fill reads the report of an entry, and returns it where it can be read. It is done in
// the background, where a panic over a damaged report would end the program.
func (e *entry) fill(root *os.Root) (r *report.Report) {
	defer func() {
		if recover() != nil {
			r = nil
			e.tell(nil, errMisfit)
		}
	}()
	r, err := readReport(root, e.Path)
	e.tell(r, err)
	return r
}

// tell says of an entry what its report says, or why it says nothing.
func (e *entry) tell(r *report.Report, err error) {
	e.Rest = ""
	if err != nil {
		e.Title, e.Kind, e.Broken = e.Name(), "not readable", err.Error()
	} else {
		e.Title, e.Command, e.Verdict = said(r.Title, 200), said(r.Command, 1000), said(r.Verdict, 400)
		e.Verb = verb(r.Command)
		e.Outcome, e.Kind = r.Outcome, said(string(r.Outcome), 60)
		if e.Rest = said(r.Verdict, 90); e.Rest == e.Kind {
			e.Rest = ""
		}
		e.Headline, e.Excess = headline(r)
	}
	if e.Title == "" {
		e.Title = e.Name()
	}
	e.words = strings.ToLower(strings.Join([]string{e.Path, e.Title, e.Command, e.Verdict, e.Broken}, "\n"))
}

// Name is the folder as readers are told.
func (e *entry) Name() string {
	if e.Path == rootRun {
		return "this folder"
	}
	return file.Name(e.Path)
}

// verb is the word after the program's name.
func verb(command string) string {
	words := strings.Fields(command)
	if len(words) < 2 {
		return ""
	}
	return said(words[1], 40)
}

// said makes words from outside fit for a line: cut to so many runes, with a mark
// in the place of each that does not print or turns the line about.
func said(s string, most int) string {
	var b strings.Builder
	for _, r := range s {
		if most--; most < 0 {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsGraphic(r):
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}
