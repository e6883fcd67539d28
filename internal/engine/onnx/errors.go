package onnx

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/file"
)

// FormatError is the error of a file that is damaged or contradicts itself.
type FormatError struct {
	File   string
	Node   string // name of the node, or empty
	Op     string // its operator, or empty
	Detail string
}

// Error returns one line: file, node, operator and what is wrong.
func (e *FormatError) Error() string {
	s := file.Name(e.File) + ": "
	if e.Node != "" || e.Op != "" {
		s += fmt.Sprintf("node %q (%s): ", e.Node, file.Name(e.Op))
	}
	return s + e.Detail
}

// Unsupported is one part of a sound file that this package does not support.
type Unsupported struct {
	Node   string // name of the node; empty if the whole model is meant
	Op     string // its operator
	Detail string // what is not supported; empty if the operator is unknown
}

// UnsupportedError lists everything in a file that this package does not support.
type UnsupportedError struct {
	File  string
	Parts []Unsupported
}

// The most that one message lists: operators, and nodes of each.
const (
	maxListed = 32
	maxNodes  = 16
)

// Error returns one line that names each operator with its nodes; Parts has all
// of them where the line would be too long.
func (e *UnsupportedError) Error() string {
	var what []string
	nodes := map[string][]string{}
	for _, p := range e.Parts {
		w := file.Name(p.Op)
		if p.Detail != "" {
			w = strings.TrimPrefix(w+": "+p.Detail, ": ")
		}
		if nodes[w] == nil {
			what = append(what, w)
		}
		nodes[w] = append(nodes[w], file.Name(p.Node))
	}
	for i, w := range what {
		if n := listed(nodes[w], ", ", maxNodes); n != "" {
			what[i] = fmt.Sprintf("%s (%s)", w, n)
		}
	}
	return file.Name(e.File) + ": not supported: " + listed(what, "; ", maxListed)
}

// listed joins the first of the items and counts the rest.
func listed(items []string, separator string, most int) string {
	if more := len(items) - most; more > 0 {
		items = append(slices.Clone(items[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(items, separator)
}

// unsupported says which part of a node or model is not supported; it is empty for an
// operator that is unknown altogether.
type unsupported string

func (u unsupported) Error() string { return string(u) }

func unsupportedf(format string, args ...any) error {
	return unsupported(fmt.Sprintf(format, args...))
}

func malformedf(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...)}
}

// malformedIf panics with an error of malformedf if something is wrong.
func malformedIf(wrong bool, format string, args ...any) {
	if wrong {
		panic(malformedf(format, args...))
	}
}

// unsupportedIf is malformedIf for what is sound and not supported.
func unsupportedIf(refused bool, format string, args ...any) {
	if refused {
		panic(unsupportedf(format, args...))
	}
}

// errDepends is the error of a node that reads the output of an unsupported node. It is
// not listed: the other node is.
const errDepends = unsupported("depends on an unsupported node")

// attempt calls f and returns the error that it panics with. Functions that read a model
// panic with an error of malformedf or unsupportedf rather than return it at
// every step, as parsers do; here such a panic ends. Any other panic is a bug and goes on.
func attempt(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *FormatError:
			err = e
		case unsupported:
			err = e
		default:
			panic(e)
		}
	}()
	f()
	return nil
}
