package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// requestBytes are what a request aims to have at most where nobody says how many
// examples it shall have: an eighth of Triton's limit.
const requestBytes = 8 << 20

// What bounds a request where the user says how many examples it shall have, and where
// the server's model does: that alone should not fill a machine.
const (
	maxRequest = 1 << 30
	maxFixed   = 1 << 28
)

// jsonBytes is about what a number takes in JSON.
const jsonBytes = 12

// plan is how a model is asked.
type plan struct {
	input  Tensor
	output string // empty if the server names none
	shape  []int  // of one example
	size   int    // numbers of one example
	batch  int    // examples of a request
	fixed  bool   // each request has exactly batch
	alone  bool   // the model has no batches: one example is a request
	binary bool
}

// plan decides how to ask for examples of p numbers.
func (c *Client) plan(ctx context.Context, p int) (*plan, error) {
	m, err := c.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := c.o.plan(m, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.URL(), err)
	}
	return plan, nil
}

func (o Options) plan(m *Metadata, size int) (*plan, error) {
	if size == 0 {
		return nil, errors.New("examples without numbers")
	}
	input, d, err := o.input(m)
	if err != nil {
		return nil, err
	}
	output, err := choose(m.Outputs, o.Output)
	if err != nil {
		return nil, err
	}
	p := &plan{input: input, output: output.Name, size: size, binary: slices.Contains(m.Extensions, binaryExtension)}
	if err := p.arrange(o.Shape); err != nil {
		return nil, err
	}
	width := jsonBytes
	if p.binary {
		width = d.size
	}
	p.batch = p.examples(o.Batch, m.MaxBatch, width)
	most := maxRequest
	if p.fixed {
		most = maxFixed
	}
	if p.batch > most/width/size {
		return nil, fmt.Errorf("requests of %d examples of %d numbers are longer than %d bytes", p.batch, size, most)
	}
	return p, nil
}

// input returns the model's only input and its datatype.
func (o Options) input(m *Metadata) (Tensor, datatype, error) {
	var input Tensor
	switch len(m.Inputs) {
	case 0:
	case 1:
		input = m.Inputs[0]
	default:
		return input, datatype{}, fmt.Errorf("the model has inputs %s, and one is all that is sent", tensorNames(m.Inputs))
	}
	input.Name = cmp.Or(input.Name, "input-0") // if the server names none, any name will do
	input.Datatype = cmp.Or(input.Datatype, "FP32")
	d, err := datatypeOf(input.Datatype)
	if err != nil {
		err = fmt.Errorf("input %s has %w", oneLine(input.Name), err)
	}
	return input, d, err
}

// choose returns the output of that name, or the only one; the zero Tensor with the
// name where the server knows none.
func choose(list []Tensor, name string) (Tensor, error) {
	i := slices.IndexFunc(list, func(t Tensor) bool { return name != "" && t.Name == name || name == "" && len(list) == 1 })
	switch {
	case len(list) == 0:
		return Tensor{Name: name}, nil
	case i >= 0:
		return list[i], nil
	case name == "":
		return Tensor{}, fmt.Errorf("the model has outputs %s: name the one to take", tensorNames(list))
	}
	return Tensor{}, fmt.Errorf("the model has no output %s, only %s", oneLine(name), tensorNames(list))
}

func tensorNames(list []Tensor) string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return oneLine(strings.Join(names, ", "))
}

// examples returns how many a request has.
func (p *plan) examples(asked, most, width int) int {
	switch {
	case p.alone:
		return 1
	case p.fixed:
		return p.batch
	}
	b := asked
	if b == 0 {
		b = max(1, min(DefaultBatch, requestBytes/(width*p.size)))
	}
	if most > 0 {
		b = min(b, most)
	}
	return b
}

// check returns an error if the input's datatype does not take the numbers.
func (p *plan) check(x []float32) error {
	d := datatypes[p.input.Datatype]
	for i, v := range x {
		if !d.takes(v) {
			return fmt.Errorf("input %s takes %s, but example %d has %v", oneLine(p.input.Name), p.input.Datatype, i/p.size, v)
		}
	}
	return nil
}

// request asks for the outputs at b examples; where the batch is fixed the last example
// fills it up.
func (p *plan) request(x []float32, b int) *message {
	if p.fixed && b < p.batch {
		last := x[len(x)-p.size:]
		x = append(make([]float32, 0, p.batch*p.size), x...)
		for ; b < p.batch; b++ {
			x = append(x, last...)
		}
	}
	in := &tensor{Name: p.input.Name, Datatype: p.input.Datatype, Shape: p.shape}
	if !p.alone {
		in.Shape = append(Sizes{b}, p.shape...)
	}
	in.set(x, p.binary)
	m := &message{Inputs: tensors{in}}
	yes := true
	switch {
	case p.output != "":
		out := &tensor{Name: p.output}
		if p.binary {
			out.Parameters = &parameters{Binary: &yes}
		}
		m.Outputs = tensors{out}
	case p.binary:
		m.Parameters = &parameters{BinaryOutput: &yes}
	}
	return m
}

// outputs returns the outputs at b examples and the shape of one example's.
func (p *plan) outputs(reply *message, b int) ([]float32, []int, error) {
	t, err := p.find(reply.Outputs)
	if err != nil {
		return nil, nil, err
	}
	y, err := t.values()
	if err != nil {
		return nil, nil, err
	}
	rows, shape := b, t.Shape
	if p.fixed {
		rows = p.batch
	}
	if !p.alone {
		if len(shape) == 0 || shape[0] != rows {
			return nil, nil, fmt.Errorf("output %s has shape %v for %d examples", oneLine(t.Name), shape, rows)
		}
		shape = shape[1:]
	}
	return y[:len(y)/rows*b], shape, nil
}

// find returns the output that was asked for, or the only one.
func (p *plan) find(list tensors) (*tensor, error) {
	t := list.named(p.output)
	if p.output == "" && len(list) == 1 {
		t = list[0]
	}
	switch {
	case t != nil:
		return t, nil
	case p.output != "":
		return nil, fmt.Errorf("the answer has no output %s, only %s", oneLine(p.output), list.names())
	}
	return nil, fmt.Errorf("the answer has outputs %s: name the one to take", list.names())
}

// arrange decides the shape of one example and whether the model takes batches, from
// the input's shape, p's size and, where the caller knows it, an example's own shape.
func (p *plan) arrange(own []int) error {
	if own != nil && nn.Size(own) != p.size {
		return fmt.Errorf("examples have %d numbers, which is not shape %v", p.size, own)
	}
	dims := p.input.Shape
	if len(dims) > maxRank {
		return fmt.Errorf("input %s has %d dimensions, more than %d", oneLine(p.input.Name), len(dims), maxRank)
	}
	if len(dims) == 0 { // nothing is known
		p.shape = slices.Clone(own)
		if own == nil {
			p.shape = []int{p.size}
		}
		return nil
	}
	var err error
	if p.shape, err = fill(dims[1:], p.size, own); err == nil {
		if dims[0] > 0 {
			p.fixed, p.batch = true, dims[0]
		}
		return nil
	}
	if !slices.Contains(dims, -1) {
		if shape, bad := fill(dims, p.size, own); bad == nil {
			p.shape, p.alone = shape, true
			return nil
		}
	}
	return fmt.Errorf("input %s is %v, the first being the batch: %w", oneLine(p.input.Name), dims, err)
}

// fill returns dims with the open ones set so that they hold size numbers, laid out as
// an example of the shape own, which may be nil.
func fill(dims []int, size int, own []int) ([]int, error) {
	known, open := 1, 0
	for _, d := range dims {
		switch {
		case d == -1:
			open++
		case d <= 0 || known > size/d:
			return nil, fmt.Errorf("an example has %d numbers", size)
		default:
			known *= d
		}
	}
	shape := slices.Clone(dims)
	switch {
	case open == 0 && known == size:
	case open == 1 && size%known == 0:
		shape[slices.Index(shape, -1)] = size / known
	case open > 1 && fits(dims, own):
		shape = slices.Clone(own)
	case open > 1:
		return nil, fmt.Errorf("it leaves %d dimensions of an example open: say the shape", open)
	default:
		return nil, fmt.Errorf("an example has %d numbers", size)
	}
	if a, b := thick(shape), thick(own); own != nil && len(a) > 1 && len(b) > 1 && !slices.Equal(a, b) {
		return nil, fmt.Errorf("an example is %v, laid out otherwise (are colours last?)", own)
	}
	return shape, nil
}

// fits reports whether a shape has the dimensions that are not open.
func fits(dims, own []int) bool {
	if len(dims) != len(own) {
		return false
	}
	for i, d := range dims {
		if d != -1 && d != own[i] {
			return false
		}
	}
	return true
}

// thick returns the dimensions other than 1, by which layouts differ.
func thick(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}
