package onnx

import (
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// Labels of an equation are letters. The dimensions of an ellipsis have labels from
// ellipsis on, counted from the right.
const ellipsis = 0x10000

// term is an operand of an equation, with one label for each dimension.
type term struct {
	*view
	labels []rune
}

// einsum is ONNX Einsum-12 of one or two terms: transposes, sums and a product of matrices.
func (r *nodeReader) einsum() {
	equation := r.text("equation", "")
	left, right, explicit := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	parts := strings.Split(left, ",")
	malformedIf(len(parts) != len(r.inputs),
		"equation %q has %d terms for %d inputs", equation, len(parts), len(r.inputs))
	unsupportedIf(len(parts) > 2, "%d inputs: only one or two are supported", len(parts))
	var terms []*term
	sizes := map[rune]int{}
	for i, part := range parts {
		o := r.operand(i)
		t := &term{view: o}
		t.labels = labelled(part, o.shape, sizes)
		terms = append(terms, t)
	}
	out := outputLabels(right, explicit, terms)
	shape := make([]int, len(out))
	for i, l := range out {
		shape[i] = sizes[l]
	}
	contract(terms, out, sizes).arranged(out).end(0, shape)
}

// labelled gives each dimension of a shape its label and notes its size.
func labelled(part string, shape []int, sizes map[rune]int) []rune {
	before, after, dots := strings.Cut(part, "...")
	labels := []rune(before)
	if rest := len(shape) - len(labels) - len(after); dots {
		for i := range max(rest, 0) {
			labels = append(labels, ellipsis+rune(rest-1-i))
		}
	}
	labels = append(labels, []rune(after)...)
	malformedIf(len(labels) != len(shape), "term %q does not label shape %v", part, shape)
	for i, l := range labels {
		malformedIf(l < ellipsis && !isLetter(l), "term %q has the label %q: labels must be letters", part, l)
		unsupportedIf(slices.Contains(labels[:i], l), "diagonals: %q occurs twice in %q", l, part)
		if s, seen := sizes[l]; seen && s != shape[i] && (s != 1 && shape[i] != 1 || l < ellipsis) {
			panic(malformedf("label %q has sizes %d and %d", l, s, shape[i]))
		}
		sizes[l] = max(sizes[l], shape[i])
		unsupportedIf(shape[i] == 0, "the empty shape %v", shape)
	}
	return labels
}

func isLetter(l rune) bool { return l >= 'a' && l <= 'z' || l >= 'A' && l <= 'Z' }

// outputLabels returns the labels after the arrow; without one, those of ellipses and then
// those that occur once, in alphabetical order.
func outputLabels(right string, explicit bool, terms []*term) (out []rune) {
	count := map[rune]int{}
	var dots, once []rune
	for _, t := range terms {
		for _, l := range t.labels {
			if count[l]++; l >= ellipsis && count[l] == 1 {
				dots = append(dots, l)
			}
		}
	}
	slices.Sort(dots)
	slices.Reverse(dots)
	if !explicit {
		for l, k := range count {
			if k == 1 && l < ellipsis {
				once = append(once, l)
			}
		}
		slices.Sort(once)
		return append(dots, once...)
	}
	before, after, has := strings.Cut(right, "...")
	out = []rune(before)
	if has {
		out = append(out, dots...)
	}
	out = append(out, []rune(after)...)
	for i, l := range out {
		malformedIf(count[l] == 0 || slices.Contains(out[:i], l),
			"output %q must have labels of the inputs, each once", right)
	}
	return out
}

// contract multiplies the terms and sums over the labels that are not in out.
func contract(terms []*term, out []rune, sizes map[rune]int) *term {
	a := terms[0]
	if len(terms) == 1 {
		return a.sum(func(l rune) bool { return slices.Contains(out, l) })
	}
	b := terms[1]
	a = a.sum(func(l rune) bool { return slices.Contains(out, l) || slices.Contains(b.labels, l) })
	b = b.sum(func(l rune) bool { return slices.Contains(out, l) || slices.Contains(a.labels, l) })
	var batch, rows, cols, inner []rune
	for _, l := range a.labels {
		switch both := slices.Contains(b.labels, l); {
		case both && slices.Contains(out, l):
			batch = append(batch, l)
		case both:
			inner = append(inner, l)
		default:
			rows = append(rows, l)
		}
	}
	for _, l := range b.labels {
		if !slices.Contains(a.labels, l) {
			cols = append(cols, l)
		}
	}
	sumRepeated(a, b, inner)
	a = a.arranged(slices.Concat(batch, rows, inner))
	b = b.arranged(slices.Concat(batch, inner, cols))
	x := a.grouped(len(batch), len(rows))
	y := b.grouped(len(batch), len(inner))
	var z *view
	if len(inner) == 0 {
		z = x.with("Mul", y)
	} else {
		z = x.then(&nn.MatMul{}, y)
	}
	labels := slices.Concat(batch, rows, cols)
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = sizes[l]
	}
	return &term{z.as(shape), labels}
}

// sumRepeated sums over those of the labels along which the other term has size 1.
func sumRepeated(a, b *term, labels []rune) {
	for _, l := range labels {
		i, j := slices.Index(a.labels, l), slices.Index(b.labels, l)
		if s, t := a.shape[i], b.shape[j]; s != t && s == 1 {
			b.view = b.then(&nn.Reduce{Function: "Sum", Axes: []int{j}, Keep: true})
		} else if s != t {
			a.view = a.then(&nn.Reduce{Function: "Sum", Axes: []int{i}, Keep: true})
		}
	}
}

// sum sums over the labels that are not kept.
func (t *term) sum(keep func(rune) bool) *term {
	var axes []int
	var labels []rune
	for i, l := range t.labels {
		if keep(l) {
			labels = append(labels, l)
		} else {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		return t
	}
	return &term{t.then(&nn.Reduce{Function: "Sum", Axes: axes}), labels}
}

// arranged brings the dimensions into the order of labels.
func (t *term) arranged(labels []rune) *term {
	perm := make([]int, len(labels))
	for i, l := range labels {
		perm[i] = slices.Index(t.labels, l)
	}
	return &term{t.transpose(perm), labels}
}

// grouped views a tensor as a batch of matrices, with that many dimensions of the batch and
// of the rows.
func (t *term) grouped(batch, rows int) *view {
	s := t.shape
	shape := append(slices.Clone(s[:batch]), nn.Size(s[batch:batch+rows]), nn.Size(s[batch+rows:]))
	return t.as(shape)
}
