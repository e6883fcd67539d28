// Command benchall runs the benchmarks of a document: the commands "go test … -bench …" in its
// code blocks, except those with "-timeout 0". It runs them several times in turn, and prints the
// median, the smallest and the largest value of each figure as a table. A figure called x-NAME is
// the time divided by that of NAME in the same run: below 1 is faster than NAME. If the document
// has a command with and without environment variables before it, the two are compared. Benchmarks
// whose peer is absent are left out.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

func main() {
	match := flag.String("match", ".", "regular expression: run the commands that match")
	rounds := flag.Int("rounds", 5, "number of times that each command runs")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "benchall: give one document: benchall [-match REGEXP] [-rounds N] BENCHMARKS.md")
		os.Exit(2)
	}
	if err := all(flag.Arg(0), *match, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "benchall:", err)
		os.Exit(1)
	}
}

// all runs the benchmarks of the document at path.
func all(path, match string, rounds int) error {
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	wanted, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("-match: %w", err)
	}
	t := newTable()
	for round := range rounds {
		for _, line := range commands(string(document)) {
			if !wanted.MatchString(line) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%d of %d: %s\n", round+1, rounds, line)
			c := exec.Command("sh", "-c", line+" -v")
			c.Env = append(os.Environ(), "CGO_ENABLED="+cgo(line))
			out, err := c.CombinedOutput()
			t.add(line, string(out), err)
		}
	}
	t.print(os.Stdout)
	if len(t.rows) == 0 {
		return fmt.Errorf("%s: no command that -match allows printed a figure", path)
	}
	return nil
}

// cgo is "1" for a command that needs it.
func cgo(line string) string {
	if strings.Contains(line, "-tags openblas") {
		return "1"
	}
	return "0"
}

// benchmark matches a command that runs benchmarks, and what stands before it.
var benchmark = regexp.MustCompile(`^((?:[A-Z_]+=\S+ )*)(go test .*-bench .*)$`)

// commands lists the commands of a document that run benchmarks. Those without a limit of time
// take hours, and are left out.
func commands(document string) (list []string) {
	inside := false
	for line := range strings.Lines(document) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") {
			inside = !inside
		}
		if inside && benchmark.MatchString(line) && !strings.Contains(line, "-timeout 0") {
			list = append(list, line)
		}
	}
	return list
}
