package curious

import (
	"context"
	"maps"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
)

// Release returns F with the outputs that are released: a Softmax at its end for soft
// ones, none for raw ones, and metadata that say so. Parameters are f's own. It panics
// where f has no nodes.
func Release(f *nn.Graph, o Outputs) *nn.Graph {
	if released(f) == o {
		return f
	}
	g := *f
	if g.Metadata = maps.Clone(f.Metadata); g.Metadata[metaOutputs] != "" {
		g.Metadata[metaOutputs] = string(o)
	}
	last := f.Nodes[len(f.Nodes)-1]
	if o == Raw {
		g.Nodes, g.Output = slices.Clone(f.Nodes[:len(f.Nodes)-1]), last.Inputs[0]
		return &g
	}
	name := "softmax"
	for f.Node(name) != nil || f.Input == name {
		name += "_"
	}
	g.Nodes = append(slices.Clone(f.Nodes), &nn.Node{Name: name, Op: &nn.Softmax{}, Inputs: []string{f.Output}, Output: name})
	g.Output = name
	return &g
}

// released returns which outputs f has: Soft where it ends in a Softmax.
func released(f *nn.Graph) Outputs {
	if len(f.Nodes) == 0 {
		return Raw
	}
	last := f.Nodes[len(f.Nodes)-1]
	if _, ok := last.Op.(*nn.Softmax); ok && last.Output == f.Output {
		return Soft
	}
	return Raw
}

// predictBatch is how many examples Predict evaluates at once: more do not make it
// faster.
const predictBatch = 128

// Predict returns f's outputs, [n, Y], of all examples, in evaluation mode. It returns an error
// if f is not well formed and when ctx ends.
func Predict(ctx context.Context, f *nn.Graph, data nn.Source) ([]float32, error) {
	net, err := nn.NewNet(f)
	if err != nil {
		return nil, err
	}
	return predict(ctx, net, data)
}

func predict(ctx context.Context, net *nn.Net, data nn.Source) ([]float32, error) {
	p, n := net.Dims()
	out := make([]float32, data.Len()*n)
	x, indices := make([]float32, predictBatch*p), make([]int, predictBatch)
	for lo := 0; lo < data.Len(); lo += predictBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := min(predictBatch, data.Len()-lo)
		for i := range b {
			indices[i] = lo + i
		}
		data.Examples(x[:b*p], indices[:b])
		net.Forward(out[lo*n:][:b*n], x[:b*p])
	}
	return out, nil
}

// entropiesOf returns the entropy in nats of each row of outputs, [n, Y]: of their
// softmax where they are raw.
func entropiesOf(outputs []float32, classes int, o Outputs) []float64 {
	h := make([]float64, len(outputs)/classes)
	p, logp := make([]float64, classes), make([]float64, classes)
	for k := range h {
		row := outputs[k*classes:][:classes]
		if o == Raw {
			softmax(p, logp, row)
			h[k] = entropyOf(p, logp)
		} else {
			h[k] = classify.Entropy(row)
		}
	}
	return h
}
