package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"tattle/internal/progress"
	"tattle/internal/report"
)

// toneColours are the codes of a terminal's colours for verdicts; others are only bold.
var toneColours = map[report.Tone]string{report.Good: "\x1b[1;32m", report.Warn: "\x1b[1;33m", report.Bad: "\x1b[1;31m"}

// writeColoured writes a report's text with its verdict in colour if stdout is a terminal and
// NO_COLOR is not set.
func (e *env) writeColoured(tone report.Tone, write func(io.Writer) error) error {
	t := progress.Terminal(e.stdout)
	if t == nil || os.Getenv("NO_COLOR") != "" {
		return write(e.stdout)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return colourVerdicts(e.stdout, t, tone, text.String())
}

// colourVerdicts writes text to w, and the codes around its verdicts to the terminal behind it.
func colourVerdicts(w, terminal io.Writer, tone report.Tone, text string) error {
	code, ok := toneColours[tone]
	if !ok {
		code = "\x1b[1m"
	}
	for line := range strings.Lines(text) {
		verdict := strings.HasPrefix(line, "Verdict: ") || strings.HasPrefix(line, "verdict: ")
		if verdict {
			io.WriteString(terminal, code)
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
		if verdict {
			io.WriteString(terminal, "\x1b[0m")
		}
	}
	return nil
}
