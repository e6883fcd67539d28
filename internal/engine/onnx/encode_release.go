package onnx

import (
	"fmt"
	"math"

	"tattle/internal/engine/nn"
)

// Names of the tensors of a file of EncodeRelease.
const (
	releaseInput    = "input"    // FP32, where the graph's own name is one of the others
	releaseNoise    = "noise"    // INT64, of the shape of the features
	releaseFeatures = "features" // FP32, within the file
	ReleaseOutput   = "release"  // INT64, of the shape of the features
)

// EncodeRelease writes a graph of features as an ONNX model with two inputs, the graph's and noise,
// and one output of integers: round(min(max(features, −clip), clip)/delta) + noise, where half-way
// cases round to even; with inward, all round toward 0. delta is a power of two and clip a multiple of it by at most 2²⁴, so that
// every step is exact in float32. Running it fails unless there is noise for each input. The graph can be read
// back by DecodeRelease. EncodeRelease returns the errors of Encode.
func EncodeRelease(g *nn.Graph, delta, clip float64, inward bool) ([]byte, error) {
	g = renamed(g)
	e, err := encodeNodes(g, releaseNoise, ReleaseOutput)
	if err != nil {
		return nil, err
	}
	for _, v := range []float64{delta, clip} {
		if float64(float32(v)) != v || !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("onnx: %v is not a positive float32", v)
		}
	}
	limits := []string{g.Output, e.number(-clip, "release.low"), e.number(clip, "release.high")}
	clipped := e.emitInner("Clip", limits, "release.clipped")
	scaled := e.emitInner("Div", []string{clipped, e.number(delta, "release.delta")}, "release.scaled")
	var points string
	if inward {
		size := e.emitInner("Floor", []string{e.emitInner("Abs", []string{scaled}, "release.size")}, "release.floor")
		points = e.emitInner("Mul", []string{e.emitInner("Sign", []string{scaled}, "release.sign"), size}, "release.rounded")
	} else {
		points = e.emitInner("Round", []string{scaled}, "release.rounded")
	}
	points = e.emitInner("Cast", []string{points}, "release.points", given{"to", typeInt64})
	// Add alone would repeat the noise of one example for all: Reshape refuses another number of integers.
	dims := e.emitInner("Shape", []string{points}, "release.shape")
	noise := e.emitInner("Reshape", []string{releaseNoise, dims}, "release.noise")
	e.emit("Add", []string{points, noise}, ReleaseOutput, "release.noised")
	shape := e.shapes[g.Output]
	nodes, ends := e.graph(g.Name, []end{{g.Input, typeFloat, g.InputShape}, {releaseNoise, typeInt64, shape}}, end{ReleaseOutput, typeInt64, shape})
	return e.model(g.Metadata, nodes, ends), nil
}

// DecodeRelease reads the features of a file that EncodeRelease wrote: all before the lattice and the
// noise. It returns the errors of Decode.
func DecodeRelease(file string, data []byte) (*nn.Graph, error) {
	return decode(file, data, ReadOptions{Output: releaseFeatures}, nil, maxFolded)
}

// renamed returns a graph whose output has the name of a release, whose input keeps its own unless a
// release has that name, and whose other tensors and parameters have none of them.
func renamed(g *nn.Graph) *nn.Graph {
	names := map[string]string{g.Input: g.Input, g.Output: releaseFeatures}
	if reserved(g.Input) {
		names[g.Input] = releaseInput
	}
	taken := map[string]bool{names[g.Input]: true}
	for _, n := range g.Nodes {
		taken[n.Output] = true
	}
	out := &nn.Graph{Name: g.Name, Input: names[g.Input], InputShape: g.InputShape, Output: releaseFeatures, Metadata: g.Metadata}
	for _, n := range g.Nodes {
		if name := n.Output; name != g.Output {
			for reserved(n.Output) && (taken[name] || reserved(name)) {
				name += "_"
			}
			names[n.Output], taken[name] = name, true
		}
		m := &nn.Node{Name: n.Name, Op: n.Op, Output: names[n.Output]}
		for _, in := range n.Inputs {
			m.Inputs = append(m.Inputs, names[in])
		}
		out.Nodes = append(out.Nodes, m)
	}
	return out
}

// reserved reports whether a tensor of a release has that name.
func reserved(name string) bool {
	return name == releaseInput || name == releaseNoise || name == releaseFeatures || name == ReleaseOutput
}
