package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"

	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/internal/run"
)

type runsCmd struct {
	Dir   string `arg:"" optional:"" help:"Folder in which runs are searched, with the folders below it (default: the current one)."`
	Index bool   `help:"Write a page, index.html, into the folder that links to the reports."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (runsCmd) Help() string {
	return `Example: tattle runs results

Example: tattle runs --index results

Lists runs: their state, how many of their shards are done, and which shards were set aside after they failed three times, with the cause. Shards are counted by their file names; only --resume checks their contents.

States: running, finished, interrupted or prepared (--resume or tattle worker continues), failed (shards were set aside; --resume tries them again).`
}

// Run lists runs.
func (c *runsCmd) Run(ctx context.Context, e *env) error {
	if info, err := os.Stat(c.Dir); err == nil && !info.IsDir() {
		return usage(fmt.Errorf("%s: is a file, not a folder", c.Dir), "name a folder with runs")
	}
	runs, err := run.Scan(ctx, cmp.Or(c.Dir, "."))
	if err != nil {
		return err
	}
	if c.Index {
		page, err := writeIndex(cmp.Or(c.Dir, "."), runs)
		if err != nil {
			return err
		}
		return e.print("open %s\n", file.Quote(page))
	}
	if c.JSON {
		if runs == nil {
			runs = []run.State{}
		}
		return e.printJSON(runs)
	}
	return run.WriteRuns(e.stdout, runs)
}

// indexFile is the page that lists runs.
const indexFile = "index.html"

const indexHead = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Runs of tattle</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #8884}code{font-size:.85em}</style>
<h1>Runs of tattle</h1>
<table><thead><tr><th>Run<th>State<th>Verdict<th>Command</tr></thead><tbody>
`

// writeIndex writes a page into dir that lists the runs there and below, with links to their
// reports, and returns its path.
func writeIndex(dir string, runs []run.State) (string, error) {
	page := bytes.NewBufferString(indexHead)
	for _, r := range runs {
		rel, err := filepath.Rel(dir, r.Dir)
		if err != nil {
			return "", err
		}
		listed := r.Row()
		name, verdict, command := html.EscapeString(file.Name(rel)), "", listed.Command
		if r.State == run.Finished {
			to := url.URL{Path: path.Join(filepath.ToSlash(rel), reportHTML)}
			name = fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(to.String()), name)
			verdict, command = verdictOf(filepath.Join(r.Dir, reportJSON), command)
		}
		fmt.Fprintf(page, "<tr><td>%s<td>%s<td>%s<td><code>%s</code></tr>\n", name, html.EscapeString(listed.State), html.EscapeString(verdict), html.EscapeString(command))
	}
	page.WriteString("</tbody></table></html>\n")
	to := filepath.Join(dir, indexFile)
	return to, file.WriteBytes(to, page.Bytes())
}

// mostReport is the size of the largest report that the page reads.
const mostReport = 16 << 20

// verdictOf returns the verdict of a report and its command, which is command where it has none.
func verdictOf(path, command string) (verdict, _ string) {
	if info, err := os.Stat(path); err != nil || info.Size() > mostReport {
		return fmt.Sprintf("not read: it has more than %d MiB", mostReport>>20), command
	}
	var r *report.Report
	data, err := file.ReadFile(path)
	if err == nil {
		r, err = report.Parse(data)
	}
	if err != nil {
		return "cannot be read: " + file.Line(err.Error()), command
	}
	badge, _, says := r.Lead()
	return badge + ". " + says, file.Short(r.Command, 1000)
}
