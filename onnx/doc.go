// Package onnx reads and writes ONNX files: networks as nn.Graph.
//
// It has its own small schema over protobuf's wire format, for the operators
// that package nn computes; files are read from opset 7 on and written at
// opset 13, or the lowest that has all operators of a graph.
//
// A file is read at batch 1, and refused where it mixes the examples of a batch: by
// their shapes, and by comparing examples alone with batches of 2 and 7 (batch.go).
// Package nn maps examples independently, so a tensor
// of ONNX shape [1, s…] is one example's tensor of shape s, and one of another
// first dimension, as the windows of a Swin transformer, is one example's whole.
// With the batch known all shapes are: whatever a file computes of shapes and other
// constants is computed while reading, in ONNX's integers, and is no part of the
// graph. Written graphs have a dynamic batch.
//
// Files come from outside. Whatever they claim, parameters take at most eight
// times the memory of the file and of the files beside it that it refers to (each
// byte of which one tensor may have); constants that are computed have at most 2²⁵
// elements and one for each of those bytes; and the structure around them, of at most
// 2¹⁸ parts, takes some hundred times its bytes. No path or link to data leads out of
// the model's folder. A damaged file is a FormatError that names node and operator; a
// file that is sound but needs more than nn computes is an UnsupportedError that lists
// everything it needs.
//
// Float attributes of a file are float32; they are read as the shortest decimal
// of that float32, so an epsilon of 1e-5 is 1e-5 and not 9.99999974737875e-6.
// Weights are finite: ±Inf may only be added, subtracted, compared, chosen or padded
// with, as masks of attention are, or be a limit. What is computed as a bool or an integer
// is a float here, 0 and 1 or without a fraction, whose derivative is 0.
//
// Weights are float32: float16 and bfloat16 are widened, float64 rounded to the
// nearest. A net declared in float64 is computed in float32, and certified in float64 with
// these rounded weights, as any other. Casts to float16 and bfloat16, of an input too,
// round; arithmetic in these formats is not read (read_narrow.go).
package onnx

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/file"
)

// FormatError says that a file is damaged or contradicts itself.
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

// Unsupported is one thing in a sound file that this package does not read.
type Unsupported struct {
	Node   string // name of the node, or empty where it is about the whole model
	Op     string // its operator
	Detail string // what about it; empty where the operator is unknown altogether
}

// UnsupportedError lists everything in a file that this package does not read.
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

// unsupported is a detail on its way to an UnsupportedError; empty for an
// operator that is unknown altogether.
type unsupported string

func (u unsupported) Error() string { return string(u) }

func beyond(format string, args ...any) error {
	return unsupported(fmt.Sprintf(format, args...))
}

func malformed(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...)}
}
