// Package manual writes what shells and man know of a command line: completion scripts and a
// manual page, from the same grammar that parses it.
package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A command is a node of the grammar as completion needs it.
type command struct {
	path  string // its words, each behind a space: " data get"
	words []item // subcommands and flags
}

// An item is a word that can follow, with its help.
type item struct {
	word, help string
	value      bool // a flag that takes a value
}

// commandsOf returns the program and all of its commands that are not hidden.
func commandsOf(n *kong.Node, path string) []command {
	c := command{path: path}
	var below []command
	for _, child := range n.Children {
		if !child.Hidden {
			c.words = append(c.words, item{word: child.Name, help: firstSentence(child.Help)})
			below = append(below, commandsOf(child, path+" "+child.Name)...)
		}
	}
	for _, f := range n.Flags {
		if !f.Hidden {
			c.words = append(c.words, item{word: "--" + f.Name, help: firstSentence(f.Help), value: !f.IsBool()})
		}
	}
	if len(n.Children) == 0 {
		c.words = append(c.words, item{word: "--help", help: "Show help."})
	}
	for _, p := range n.Positional {
		for _, value := range p.EnumSlice() {
			if value != "" {
				c.words = append(c.words, item{word: value})
			}
		}
	}
	return slices.Concat([]command{c}, below)
}

// firstSentence returns a text up to its first full stop.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, ". "); i > 0 {
		return text[:i+1]
	}
	return text
}
