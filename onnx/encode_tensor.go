package onnx

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/nn"
)

// param adds a tensor once, under its own name or else the one proposed.
func (e *encoder) param(p *nn.Param, proposed string) (string, error) {
	for i, v := range p.Data {
		if v-v != 0 {
			return "", fmt.Errorf("tensor %q holds %v at element %d", cmp.Or(p.Name, proposed), v, i)
		}
	}
	return e.tensor(p, proposed)
}

// mask is param for what may hold ±Inf.
func (e *encoder) mask(p *nn.Param, proposed string) (string, error) {
	for i, v := range p.Data {
		if v != v {
			return "", fmt.Errorf("tensor %q holds NaN at element %d", cmp.Or(p.Name, proposed), i)
		}
	}
	return e.tensor(p, proposed)
}

func (e *encoder) tensor(p *nn.Param, proposed string) (string, error) {
	if name, ok := e.params[p]; ok {
		return name, nil
	}
	stem := p.Name
	if stem == "" {
		stem = proposed
	}
	name := e.fresh(stem)
	if len(p.Data) != nn.Size(p.Shape) {
		return "", fmt.Errorf("tensor %q has %d values for shape %v", name, len(p.Data), p.Shape)
	}
	e.params[p] = name
	var head []byte
	for _, d := range p.Shape {
		head = appendInt(head, tensorDims, int64(d))
	}
	head = appendInt(head, tensorType, typeFloat)
	head = appendBytes(head, tensorName, []byte(name))
	head = protowire.AppendTag(head, tensorRaw, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(4*len(p.Data)))
	e.tensors = append(e.tensors, written{head, p.Data})
	return name, nil
}
