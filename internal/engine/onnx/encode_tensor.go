package onnx

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"tattle/internal/engine/nn"
)

// fresh returns the stem as a new tensor's name, with a number if a tensor has it.
func (e *encoder) fresh(stem string) string {
	name := stem
	for i := 1; e.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", stem, i)
	}
	e.names[name] = true
	return name
}

// param adds a tensor once, under its own name or else the one proposed.
func (e *encoder) param(p *nn.Param, proposed string) string { return e.tensor(p, proposed, false) }

// mask is param of a tensor that may hold ±Inf.
func (e *encoder) mask(p *nn.Param, proposed string) string { return e.tensor(p, proposed, true) }

func (e *encoder) tensor(p *nn.Param, proposed string, infinite bool) string {
	for i, v := range p.Data {
		if v-v != 0 && !(infinite && v == v) {
			panic(unsupportedf("tensor %q holds %v at element %d", cmp.Or(p.Name, proposed), v, i))
		}
	}
	if name, ok := e.params[p]; ok {
		return name
	}
	name := e.fresh(cmp.Or(p.Name, proposed))
	unsupportedIf(len(p.Data) != nn.Size(p.Shape), "tensor %q has %d values for shape %v", name, len(p.Data), p.Shape)
	e.params[p] = name
	head := protowire.AppendTag(tensorHead(name, typeFloat, p.Shape), tensorRaw, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(4*len(p.Data)))
	e.tensors = append(e.tensors, written{head, p.Data})
	return name
}

func tensorHead(name string, element int64, shape []int) (head []byte) {
	for _, d := range shape {
		head = appendInt(head, tensorDims, int64(d))
	}
	return appendBytes(appendInt(head, tensorType, element), tensorName, []byte(name))
}

// number adds a tensor of one float and no dimensions.
func (e *encoder) number(v float64, proposed string) string {
	return e.param(&nn.Param{Shape: []int{}, Data: []float32{float32(v)}}, proposed)
}

// integers adds an int64 tensor of that shape.
func (e *encoder) integers(proposed string, shape, v []int) string {
	name := e.fresh(proposed)
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	e.tensors = append(e.tensors, written{head: appendBytes(tensorHead(name, typeInt64, shape), tensorRaw, raw)})
	return name
}

// ints adds a one-dimensional int64 tensor.
func (e *encoder) ints(proposed string, v ...int) string {
	return e.integers(proposed, []int{len(v)}, v)
}

// withBatch returns the sizes of an example's dimensions after that of the batch.
func withBatch(batch int, x []int) []int { return append([]int{batch}, x...) }

// afterBatch numbers the axes of an example as those of a batch.
func afterBatch(axes []int) []int { return shifted(axes, -1) }
