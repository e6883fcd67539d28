// Command gate reads the output of go test -json, prints the results of packages and the
// output of tests that failed, and ends with one line on the tests that were skipped.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	failed, err := summarise(os.Stdout, os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// An event is a line of go test -json; see go doc test2json.
type event struct{ Action, Package, Test, Output string }

// summarise copies from r to w what a reader of go test wants to see, and reports whether
// anything failed.
func summarise(w io.Writer, r io.Reader) (failed bool, err error) {
	output := map[[2]string]string{}
	skipped := map[string]int{}
	for d := json.NewDecoder(r); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return failed, err
		}
		test := [2]string{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			io.WriteString(w, e.Output)
		case "build-fail":
			failed = true
		case "output":
			if e.Test == "" && e.Output != "PASS\n" {
				io.WriteString(w, e.Output)
			} else {
				output[test] += e.Output
			}
		case "fail":
			failed = true
			io.WriteString(w, output[test])
		case "skip":
			if e.Test != "" {
				skipped[reason(output[test])]++
			}
			delete(output, test)
		case "pass":
			delete(output, test)
		}
	}
	_, err = fmt.Fprintln(w, summary(skipped))
	return failed, err
}

// place is what t.Skip writes before a reason.
var place = regexp.MustCompile(`(?m)^\s*\S+\.go:\d+: (.+)$`)

// reason is why a test was skipped, by its output.
func reason(output string) string {
	if m := place.FindStringSubmatch(output); m != nil {
		return strings.TrimSpace(m[1])
	}
	return "no reason given"
}

// summary lists the reasons, the most frequent first.
func summary(skipped map[string]int) string {
	reasons := slices.SortedFunc(maps.Keys(skipped), func(a, b string) int {
		if skipped[a] != skipped[b] {
			return skipped[b] - skipped[a]
		}
		return strings.Compare(a, b)
	})
	total, parts := 0, make([]string, len(reasons))
	for i, why := range reasons {
		total += skipped[why]
		parts[i] = fmt.Sprintf("%d × %s", skipped[why], why)
	}
	if total == 0 {
		return "skipped: no tests"
	}
	return fmt.Sprintf("skipped: %d tests (%s)", total, strings.Join(parts, "; "))
}
