package serve

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"tattle/internal/file"
	"tattle/report"
)

// entry is one run in the list: a summary of its report.
type entry struct {
	Path     string // of its folder, with slashes; rootRun for the served folder itself
	Size     int64
	Modified time.Time
	isRead   bool

	Title      string
	Command    string // as it was typed
	Subcommand string // its first word, such as train, bound or audit
	Verdict    string
	Outcome    report.Outcome
	tone       report.Tone
	Kind       string // the verdict in a few words, as it is shown and filtered by
	Rest       string // the verdict's sentence, cut short
	Figure     string // the most important one
	Broken     string // why the report cannot be read; empty if it can

	words string // what the list and the page of the run show, in lower case: searches look at it
}

// newEntry returns a run whose report is not read yet.
func newEntry(folder string, info fs.FileInfo) *entry {
	e := &entry{Path: folder, Size: info.Size(), Modified: info.ModTime(), Rest: "not read yet"}
	e.Title, e.words = e.Name(), strings.ToLower(e.Name())
	return e
}

// isCurrent reports whether an entry that was read describes the file that was found.
func (e *entry) isCurrent(found *entry) bool {
	return e != nil && e.isRead && e.Size == found.Size && e.Modified.Equal(found.Modified)
}

var errInconsistent = errors.New(reportName + ": its parts do not fit together")

// read reads the report of an entry, and returns it if it can be read. It runs in a
// goroutine of its own, where a panic over a damaged report would end the program.
func (e *entry) read(root *os.Root) (r *report.Report) {
	defer func() {
		if recover() != nil {
			r = nil
			e.summarize(nil, errInconsistent)
		}
	}()
	r, err := readReport(root, e.Path)
	e.summarize(r, err)
	return r
}

// summarize fills in what the list shows of a report, or why it cannot be read.
func (e *entry) summarize(r *report.Report, err error) {
	e.Rest, e.isRead = "", true
	if err != nil {
		e.Title, e.Kind, e.Broken = e.Name(), "not readable", err.Error()
	} else {
		_, says := r.Headline()
		e.Title, e.Command, e.Verdict = file.Short(r.Title, 200), file.Short(r.Command, 1000), file.Short(r.VerdictSentence(), 600)
		e.Subcommand = file.Short(r.Subcommand(), 40)
		e.tone = r.Tone()
		e.Outcome, e.Kind, e.Rest = r.Outcome, file.Short(r.VerdictLine(), 60), file.Short(says, 90)
		e.Figure = file.Short(r.KeyFigure(), 80)
	}
	if e.Title == "" {
		e.Title = e.Name()
	}
	e.words = strings.ToLower(strings.Join([]string{e.Name(), e.Title, e.Command, e.Kind, e.Verdict, e.Figure, e.Broken}, "\n"))
}

// Name is the folder's name on pages.
func (e *entry) Name() string {
	if e.Path == rootRun {
		return "this folder"
	}
	return file.Name(e.Path)
}

// Tone is the colour of the verdict.
func (e *entry) Tone() report.Tone {
	if e.Broken != "" {
		return report.Bad
	}
	return e.tone
}
