package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Page returns the manual page of a program, with all of its commands and flags, as man reads it.
func Page(app *kong.Application, version string) string {
	p := &page{}
	title, rest, _ := strings.Cut(app.Help, "\n")
	p.printf(".TH %s 1 \"\" %s\n", strings.ToUpper(app.Name), quotedRoff(version))
	p.printf(".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %[1]s\n.I command\n[flags]\n.SH DESCRIPTION\n", escaped(app.Name), escaped(strings.TrimSuffix(title, ".")))
	p.text(rest)
	p.printf(".SH COMMANDS\n")
	for _, n := range app.Leaves(true) {
		p.command(n)
	}
	return p.String()
}

type page struct{ strings.Builder }

func (p *page) printf(format string, a ...any) { fmt.Fprintf(p, format, a...) }

// command adds a section on a command.
func (p *page) command(n *kong.Node) {
	p.printf(".SS %s\n", quotedRoff(n.Summary()))
	p.text(n.Help)
	p.text(n.Detail)
	for _, f := range n.Flags {
		if !f.Hidden {
			p.printf(".TP\n.B %s\n%s\n", escaped(f.Summary()), escaped(f.Help))
		}
	}
}

// text adds paragraphs. Lines that begin with a space stand as they are.
func (p *page) text(s string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		switch {
		case strings.TrimSpace(paragraph) == "":
		case strings.HasPrefix(paragraph, " "):
			p.printf(".PP\n.nf\n%s\n.fi\n", escaped(paragraph))
		default:
			p.printf(".PP\n%s\n", escaped(paragraph))
		}
	}
}

// escaped returns a text that roff prints as it is.
func escaped(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quotedRoff returns a text as one argument of a request.
func quotedRoff(s string) string { return `"` + strings.ReplaceAll(escaped(s), `"`, `\(dq`) + `"` }
