package onnx

import "encoding/binary"

// constantNode is ONNX Constant-13.
func constantNode(c *calculation) ([]*value, error) {
	t, err := constantTensor(c.node)
	if err != nil {
		return nil, err
	}
	t.name = c.outputs[0]
	return one(c.d.load(&t))
}

// constantTensor returns what a Constant holds.
func constantTensor(n *node) (tensor, error) {
	for _, name := range []string{"value", "value_float", "value_floats", "value_int", "value_ints"} {
		a, ok, err := n.attribute(name)
		if err != nil {
			return tensor{}, err
		}
		if !ok {
			continue
		}
		switch name {
		case "value_float":
			return tensor{kind: typeFloat, floats: binary.LittleEndian.AppendUint32(nil, a.bits)}, nil
		case "value_floats":
			return tensor{kind: typeFloat, floats: a.floats, dims: []int64{int64(len(a.floats) / 4)}}, nil
		case "value_int":
			return tensor{kind: typeInt64, ints: []int64{a.n}}, nil
		case "value_ints":
			return tensor{kind: typeInt64, ints: a.ints, dims: []int64{int64(len(a.ints))}}, nil
		}
		if a.tensor.kind == 0 {
			return tensor{}, malformed("attribute %q is a tensor without a type", name)
		}
		return a.tensor, nil
	}
	return tensor{}, malformed("holds no value")
}
