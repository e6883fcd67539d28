package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tattle/nn"
	"tattle/onnx"
	"tattle/report"
	"tattle/run"
)

// What a run keeps of a release that is not the model's file cut in two.
const (
	releaseFile = "release.onnx" // maps inputs to what is dithered
	headFile    = "head.onnx"    // maps that to scores of the classes
	noiseFile   = "noise"        // and the ending of the file it is a copy of: a tabulated density
)

// sides are the nets before the noise and after it.
type sides struct {
	front, head *nn.Net
	whole       *nn.Net         // the model itself; nil where front and head are it, cut in two
	node        string          // of the model, whose output is released
	files       []report.Arrays // that the run keeps of the release
}

// build makes both sides. What the model's file does not hold is written into dir,
// so that it can be verified without what it was made from.
func (m *measurement) build(e *env, dir string) (*sides, error) {
	s := &sides{}
	var err error
	if s.node, err = m.node(); err != nil {
		return nil, err
	}
	if m.spec.Surface == "" || m.spec.Surface == "features" {
		m.spec.Node = s.node
	}
	front, head, err := m.graphs(e.ctx, s.node)
	if err != nil {
		return nil, err
	}
	if have, want := nn.Size(m.data.Shape), nn.Size(front.InputShape); have != want {
		return nil, usage(fmt.Errorf("%s takes inputs of shape %v, %s has examples of shape %v", m.modelPath, front.InputShape, m.dataPath, m.data.Shape), "choose the data the model was trained on")
	}
	if s.front, s.head, err = nets(front, head); err != nil {
		return nil, fmt.Errorf("%s: %w", m.modelPath, err)
	}
	if s.whole, err = m.whole(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.modelPath, err)
	}
	s.budget(m.memory)
	if err := m.classes(s.head); err != nil {
		return nil, err
	}
	if err := m.top(s.front); err != nil {
		return nil, err
	}
	if !m.bare() {
		for _, f := range []struct {
			name string
			g    *nn.Graph
		}{{releaseFile, front}, {headFile, head}} { // in the order in which the report has them
			if err := s.keep(dir, f.name, func(path string) error { return onnx.Write(path, f.g) }); err != nil {
				return nil, err
			}
		}
	}
	return s, m.keepTable(s, dir)
}

// node is the model's node whose output is released, before any projection.
func (m *measurement) node() (string, error) {
	if m.spec.Node != "" {
		return m.spec.Node, nil
	}
	if m.spec.Surface != "" && m.spec.Surface != "features" {
		if n := m.graph.Node(m.graph.Output); n != nil {
			return n.Name, nil
		}
		return m.graph.Output, nil
	}
	node, err := m.graph.FeatureNode()
	if err != nil {
		return "", usage(fmt.Errorf("%s: %w", m.modelPath, err), "name the node whose output is released with --features")
	}
	return node, nil
}

// graphs are both sides as data.
func (m *measurement) graphs(ctx context.Context, node string) (front, head *nn.Graph, err error) {
	if m.bare() {
		return cutAt(m.graph, node)
	}
	if _, _, err := cutAt(m.graph, node); err != nil {
		return nil, nil, err
	}
	var train nn.Source
	if m.rungs != nil && m.rungs.training != nil {
		train = m.rungs.training
	}
	type both struct{ front, head *nn.Graph }
	b, err := interruptible(ctx, func() (both, error) {
		f, h, err := m.spec.Build(ctx, m.graph, train)
		return both{f, h}, err
	})
	if err != nil && ctx.Err() == nil {
		err = usage(fmt.Errorf("%s: %w", m.released, err), "")
	}
	return b.front, b.head, err
}

// whole is the model itself, whose accuracy a release is to be held against: nil
// where both sides are it.
func (m *measurement) whole() (*nn.Net, error) {
	if m.bare() {
		return nil, nil
	}
	return nn.NewNet(m.graph)
}

func nets(f, h *nn.Graph) (front, head *nn.Net, err error) {
	if front, err = nn.NewNet(f); err == nil {
		head, err = nn.NewNet(h)
	}
	return front, head, err
}

// budget is the memory that each net's own buffers may take: zero for the default.
func (s *sides) budget(bytes int64) {
	for _, net := range []*nn.Net{s.front, s.head, s.whole} {
		if net != nil {
			net.SetMemory(bytes / memoryShare)
		}
	}
}

// memoryShare is the part of the budget, one in so many, that each net's own buffers
// take: a run has a front and a head, and its own vectors.
const memoryShare = 4

// classes errs where labels are not among the answers of the model.
func (m *measurement) classes(head *nn.Net) error {
	_, answers := head.Dims()
	for i := range m.data.Len() {
		if y := m.data.Label(i); y >= answers {
			return usage(fmt.Errorf("%s gives %d answers, and example %d of %s has label %d", m.modelPath, answers, i, m.dataPath, y), "choose the data the model was trained on, or their labels with --labels and --target")
		}
	}
	return nil
}

// keep writes a file of the release into dir and notes its digest.
func (s *sides) keep(dir, name string, write func(path string) error) error {
	path := filepath.Join(dir, name)
	if err := write(path); err != nil {
		return err
	}
	hash, err := run.Digest(path)
	s.files = append(s.files, report.Arrays{File: name, SHA256: hash})
	return err
}

// keepTable copies a tabulated density into dir, and goes by the copy from here on.
func (m *measurement) keepTable(s *sides, dir string) error {
	path, ok := strings.CutPrefix(m.family, tablePrefix)
	if !ok {
		return nil
	}
	_, n := s.front.Dims()
	if _, err := m.dither(1, n, ""); err != nil {
		return usage(fmt.Errorf("--noise: %w", err), "")
	}
	name := noiseFile + filepath.Ext(path)
	err := s.keep(dir, name, func(to string) error {
		return run.WriteFile(to, func(w io.Writer) error { return copyFrom(w, path) })
	})
	m.family = tablePrefix + name
	return err
}
