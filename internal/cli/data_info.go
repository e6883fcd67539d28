package cli

import (
	_ "embed"
	"strings"
)

// labelledSets describes, a paragraph each, the data of paper B's experiments and their like, which
// train reads and nobody fetches. A paragraph begins with the name of its set.
//
//go:embed labelled_sets.txt
var labelledSets string

// about describes data that nobody fetches; empty if the name is of none.
func about(name string) string {
	for set := range strings.SplitSeq(strings.TrimSpace(labelledSets), "\n\n") {
		if strings.HasPrefix(set, name+":") {
			return set + "\n  train      tattle train " + name + " --data PATH --sensitive RULE"
		}
	}
	return ""
}

// aboutNames are the names of these data.
func aboutNames() (names []string) {
	for set := range strings.SplitSeq(strings.TrimSpace(labelledSets), "\n\n") {
		name, _, _ := strings.Cut(set, ":")
		names = append(names, name)
	}
	return names
}
