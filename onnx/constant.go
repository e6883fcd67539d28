package onnx

import "encoding/binary"

// constantNode reads a Constant as a tensor of its output's name.
func (d *decoder) constantNode(n *node) error {
	t, err := constantValue(n)
	if err != nil || t.kind == 0 {
		return err
	}
	t.name = n.outputs[0]
	d.constants[t.name] = t
	return nil
}

func constantValue(n *node) (tensor, error) {
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
	if len(n.attributes) > 0 {
		return tensor{}, nil // of text, say: reported as unsupported already
	}
	return tensor{}, malformed("holds no value")
}
