package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
)

// A Split is a model cut at what is released: Front maps inputs to the numbers that noise
// is added to, Head maps those to scores of the classes.
type Split struct {
	Node        string // of the model, whose output is released, before any projection
	Front, Head *nn.Net
	Whole       *nn.Net // the model itself; nil if Front and Head are it, cut in two
}

// NodeOf returns the node of g whose output is released, before any projection.
func (r Release) NodeOf(g *nn.Graph) (string, error) {
	if r.Spec.Node != "" {
		return r.Spec.Node, nil
	}
	if r.ofFeatures() {
		return g.FeatureNode()
	}
	if n := g.Node(g.Output); n != nil {
		return n.Name, nil
	}
	return g.Output, nil
}

// Split cuts g. train is needed for learned projections only.
func (r Release) Split(ctx context.Context, g *nn.Graph, train nn.Source) (*Split, error) {
	node, err := r.NodeOf(g)
	if err != nil {
		return nil, err
	}
	spec := r.Spec
	if r.ofFeatures() {
		spec.Node = node
	}
	front, head, err := spec.Build(ctx, g, train)
	if err != nil {
		return nil, err
	}
	if r.AsIs() {
		g = nil
	}
	return NewSplit(node, front, head, g)
}

// NewSplit makes the nets of both graphs. whole is the model where front and head are not
// it, cut in two, and is nil otherwise.
func NewSplit(node string, front, head, whole *nn.Graph) (*Split, error) {
	s := &Split{Node: node}
	var err error
	if s.Front, err = nn.NewNet(front); err == nil {
		s.Head, err = nn.NewNet(head)
	}
	if err == nil && whole != nil {
		s.Whole, err = nn.NewNet(whole)
	}
	return s, err
}

// memoryShare is the part of the memory, one in so many, that each net's own buffers may
// take: a run has a front and a head, and its own vectors.
const memoryShare = 4

// LimitMemory limits the buffers of the nets, for a run that may take so many bytes in
// all. Zero stands for the default.
func (s *Split) LimitMemory(bytes int64) {
	for _, net := range []*nn.Net{s.Front, s.Head, s.Whole} {
		if net != nil {
			net.SetMemory(bytes / memoryShare)
		}
	}
}

// Files that a run keeps of a release that is not the model's file cut in two.
const (
	FrontFile      = "release.onnx"   // maps inputs to what noise is added to
	HeadFile       = "head.onnx"      // maps that to scores of the classes
	CovarianceFile = "covariance.npy" // of the noise, up to the factor σ²
	tableFile      = "noise"          // with the extension of the file it is a copy of: a tabulated density
)

// Keep writes into dir what the model's file does not hold: the nets of a projection, the
// covariance of the noise, and the file of a tabulated density, which r then refers to by its
// name in dir. The release
// can be verified from these alone.
func (r *Release) Keep(files *file.Dir, s *Split, dir string) (kept []report.File, err error) {
	keep := func(name string, write func(path string) error) {
		if err != nil {
			return
		}
		path, f := filepath.Join(dir, name), report.File{Name: name}
		if err = write(path); err == nil {
			f.SHA256, err = run.Digest(path)
		}
		kept = append(kept, f)
	}
	if !r.AsIs() {
		keep(FrontFile, func(path string) error { return onnx.WriteIn(files, path, s.Front.Graph()) })
		keep(HeadFile, func(path string) error { return onnx.WriteIn(files, path, s.Head.Graph()) })
	}
	if c := r.Spec.Covariance; c != nil {
		keep(CovarianceFile, func(path string) error { return files.Write(path, c.Write) })
	}
	from, ok := r.Table()
	if !ok {
		return kept, err
	}
	_, n := s.Front.Dims()
	if _, wrong := r.Noise(1, n, ""); wrong != nil {
		return nil, &OptionError{Option: "Family", Err: wrong}
	}
	name := tableFile + filepath.Ext(from)
	keep(name, func(to string) error { return copyFile(files, to, from) })
	r.Family = TablePrefix + name
	return kept, err
}

func copyFile(files *file.Dir, to, from string) error {
	b, err := os.ReadFile(from)
	if err == nil {
		err = files.WriteBytes(to, b)
	}
	return err
}

// Check returns an error if the split does not take the data of the request, or gives fewer
// numbers or answers than the request needs.
func (q *Request) Check(s *Split) error {
	if have, want := nn.Size(q.Data.Shape), nn.Size(s.Front.Graph().InputShape); have != want {
		return &OptionError{"Data", fmt.Errorf("the model takes inputs of shape %v, the examples have shape %v", s.Front.Graph().InputShape, q.Data.Shape), "choose the data the model was trained on"}
	}
	_, answers := s.Head.Dims()
	for i := range q.Data.Len() {
		if y := q.Data.Label(i); y >= answers && q.Use == nil {
			return &OptionError{"Labels", fmt.Errorf("the model gives %d answers, and example %d has label %d", answers, i, y), "choose the data the model was trained on, or their labels with --labels and --target"}
		}
	}
	if q.Use != nil && q.Surface() != release.SurfaceFeatures {
		return WrongOption("Utility", "outputs that are vectors have no %s: release features", q.Surface())
	}
	return nil
}
