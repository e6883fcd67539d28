package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// table holds the figures of all runs.
type table struct {
	rows  []row // in the order of their first run
	found map[row][]float64
	left  []string // benchmarks that were left out, and why
}

// row is one figure of a benchmark.
type row struct {
	command string // without the environment variables before it
	before  string // these
	name    string
	unit    string
}

func newTable() *table { return &table{found: map[row][]float64{}} }

var (
	resultLine  = regexp.MustCompile(`^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(\S.*)$`)
	skippedLine = regexp.MustCompile(`--- SKIP: (Benchmark\S+)`)
	reasonLine  = regexp.MustCompile(`^\s+\S+_test\.go:\d+: (.*)$`)
)

// add takes in what a command printed.
func (t *table) add(line, output string, failed error) {
	part := benchmark.FindStringSubmatch(line)
	reason := ""
	for text := range strings.Lines(output) {
		text = strings.TrimSuffix(text, "\n")
		if m := reasonLine.FindStringSubmatch(text); m != nil {
			reason = m[1]
		}
		if m := skippedLine.FindStringSubmatch(text); m != nil {
			t.leaveOut(m[1] + ": " + reason)
		}
		if m := resultLine.FindStringSubmatch(text); m != nil {
			t.result(row{command: part[2], before: strings.TrimSpace(part[1]), name: m[1]}, strings.Fields(m[2]))
		}
	}
	if failed != nil {
		last := strings.Split(strings.TrimSpace(output), "\n")
		t.leaveOut(fmt.Sprintf("%s: %v: %s", line, failed, last[len(last)-1]))
	}
}

func (t *table) leaveOut(what string) {
	if !slices.Contains(t.left, what) {
		t.left = append(t.left, what)
	}
}

// result adds pairs of a value and its unit.
func (t *table) result(r row, words []string) {
	for i := 0; i+1 < len(words); i += 2 {
		v, err := strconv.ParseFloat(words[i], 64)
		if r.unit = words[i+1]; err != nil || v == 0 {
			continue
		}
		if t.found[r] == nil {
			t.rows = append(t.rows, r)
		}
		t.found[r] = append(t.found[r], v)
	}
}

// print prints the ratios, then times of benchmarks that have none, and what was left out.
func (t *table) print(w io.Writer) {
	fmt.Fprintln(w, "| benchmark | figure | median | smallest | largest | runs |\n|---|---|---|---|---|---|")
	hasRatio := map[string]bool{}
	for _, r := range t.rows {
		if strings.HasPrefix(r.unit, "x-") {
			hasRatio[r.before+r.command+r.name] = true
			printRow(w, r, t.found[r])
		}
	}
	for _, r := range t.rows {
		plain := row{r.command, "", r.name, r.unit}
		if r.before != "" && r.unit == "ns/op" && len(t.found[plain]) > 0 {
			printRow(w, row{name: r.name, unit: "x-" + r.before}, ratios(t.found[plain], t.found[r]))
		}
	}
	for _, r := range t.rows {
		if r.unit == "ns/op" && !hasRatio[r.before+r.command+r.name] {
			r.unit = "ms"
			printRow(w, r, ratios(t.found[row{r.command, r.before, r.name, "ns/op"}], []float64{1e6}))
		}
	}
	for _, what := range t.left {
		fmt.Fprintln(w, "left out:", what)
	}
}

// ratios divides a run by the run of the same round, or all by the only divisor.
func ratios(x, by []float64) (out []float64) {
	for i, v := range x {
		if len(by) > 1 && i >= len(by) {
			break
		}
		out = append(out, v/by[min(i, len(by)-1)])
	}
	return out
}

func printRow(w io.Writer, r row, x []float64) {
	x = slices.Sorted(slices.Values(x))
	name := strings.TrimSpace(r.before + " " + strings.TrimPrefix(r.name, "Benchmark"))
	fmt.Fprintf(w, "| %s | %s | %.3g | %.3g | %.3g | %d |\n", name, r.unit, x[len(x)/2], x[0], x[len(x)-1], len(x))
}
