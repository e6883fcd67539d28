package release

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// The surfaces at which a release can leave a net.
const (
	SurfaceFeatures      = "features"
	SurfaceLogits        = "logits"
	SurfaceProbabilities = "probabilities"
	SurfaceLabel         = "label"
)

// surfaces lists the values of Spec.Surface.
func surfaces() []string {
	return []string{SurfaceFeatures, SurfaceLogits, SurfaceProbabilities, SurfaceLabel}
}

// Spec says what of a net is dithered. Its zero value is all features, as they are.
type Spec struct {
	Surface    string `json:"surface"`              // one of the Surface constants; empty means features
	Node       string `json:"-"`                    // of the features; empty means Graph.FeatureNode()
	Projection string `json:"projection,omitempty"` // one of Projections; empty means first
	Keep       int    `json:"keep,omitempty"`       // entries after a projection; 0 means no projection

	// ClipNorm, unless 0, is the largest Euclidean norm of what is released, where the noise is σ² in all directions: larger ones
	// are moved to it. Norms are of the differences from the mean over the training data, if there are any.
	ClipNorm float64 `json:"clip_norm,omitempty"`

	// Covariance, unless nil, is that of the noise: of what is released after a projection.
	// The noise that is added must then be Gaussian or Lattice, of variance σ² for σ² times it.
	Covariance *Covariance `json:"-"`
}

// Build returns the graphs on both sides of the noise: front maps inputs to what is
// dithered, head maps that to logits (or other scores of the classes). They share their
// parameters with g; what Spec adds are nodes named release-…, so that both can be written
// as ONNX. Logits and probabilities are scores already, and the head returns them
// unchanged. For the surface label, front ends in logits too; see Holds for what that
// guarantees. With a Covariance, front ends in L⁻¹ and head begins with L. Training data are
// needed for learned projections, and give the center of ClipNorm. It returns an error if the settings contradict one
// another or do not fit the graph.
func (s Spec) Build(ctx context.Context, g *nn.Graph, train nn.Source) (front, head *nn.Graph, err error) {
	return s.build(ctx, g, train, nil, nil)
}

// build is Build or, with the sides of a release that was built before, BuildLike.
func (s Spec) build(ctx context.Context, g *nn.Graph, train nn.Source, keptFront, keptHead *nn.Graph) (front, head *nn.Graph, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	var center *nn.Param
	var kept map[string]layers
	if keptFront != nil {
		if s.ClipNorm > 0 {
			keptFront, keptHead, center = unclipped(keptFront, keptHead)
		}
		kept = s.kept(keptFront, keptHead)
	}
	if s.surface() == SurfaceFeatures {
		front, head, err = s.features(g)
	} else {
		front, head, err = s.scores(g)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.surface(), err)
	}
	if s.Keep > 0 {
		l, err := s.project(ctx, front, head, train, kept)
		if err != nil {
			return nil, nil, fmt.Errorf("projection: %w", err)
		}
		front, head = l.around(front, head)
	}
	if s.Covariance != nil {
		if err := s.shapeable(front); err != nil {
			return nil, nil, err
		}
		white, was := kept["whiten"]
		if was {
			err = s.Covariance.check(white)
		} else {
			white, err = s.Covariance.whiten()
		}
		if err != nil {
			return nil, nil, fmt.Errorf("covariance: %w", err)
		}
		front, head = white.around(front, head)
	}
	if s.ClipNorm > 0 {
		if kept == nil {
			center, err = centerOf(ctx, front, train)
		}
		if err == nil {
			front, head, err = s.clip(front, head, center)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("clip of the norm: %w", err)
		}
	}
	return front, head, nil
}

// shapeable returns an error if the covariance is not one of what front gives.
func (s Spec) shapeable(front *nn.Graph) error {
	n, err := flat(front)
	switch {
	case err != nil:
		return fmt.Errorf("covariance: %w", err)
	case n != s.Covariance.n:
		return fmt.Errorf("covariance: it is %d × %d, but %d numbers are released", s.Covariance.n, s.Covariance.n, n)
	}
	return nil
}

func (s Spec) surface() string { return cmp.Or(s.Surface, SurfaceFeatures) }

func (s Spec) check() error {
	switch {
	case !slices.Contains(surfaces(), s.surface()):
		return fmt.Errorf("no surface %q; there are %s", s.Surface, strings.Join(surfaces(), ", "))
	case !slices.Contains(projections(), s.projection()):
		return fmt.Errorf("no projection %q; there are %s", s.Projection, strings.Join(projections(), ", "))
	case s.Keep < 0:
		return fmt.Errorf("projection to %d entries: keep at least 1, or give 0 for all", s.Keep)
	case !(s.ClipNorm >= 0) || math.IsInf(s.ClipNorm, 1):
		return fmt.Errorf("clip of the norm at %v: give a positive number", s.ClipNorm)
	case s.Keep == 0 && s.Projection != "":
		return fmt.Errorf("a %s projection needs the number of entries to keep", s.Projection)
	case s.surface() != SurfaceFeatures && s.Node != "":
		return fmt.Errorf("node %q says which features to release, but the surface is %s", s.Node, s.Surface)
	}
	return nil
}

// features cuts g at the features.
func (s Spec) features(g *nn.Graph) (front, head *nn.Graph, err error) {
	node := s.Node
	if node == "" {
		if node, err = g.FeatureNode(); err != nil {
			return nil, nil, err
		}
	}
	return g.Cut(node)
}

// scores returns the net up to logits or probabilities, and a head that hands them
// on. Logits leave a softmax at the net's end out. It returns an error
// if the net ends in another function that makes scores of logits.
func (s Spec) scores(g *nn.Graph) (front, head *nn.Graph, err error) {
	front = &nn.Graph{Name: g.Name, Input: g.Input, InputShape: g.InputShape, Output: g.Output}
	front.Nodes = append(front.Nodes, g.Nodes...)
	shapes, err := g.Shapes()
	if err != nil {
		return nil, nil, err
	}
	if last := lastOf(g); last != nil {
		logits := ""
		switch op := last.Op.(type) {
		case *nn.Softmax:
			logits = last.Inputs[0]
		case *nn.Unary, *nn.Hardmax, *nn.Opaque:
			return nil, nil, noLogits(last)
		case *nn.Binary:
			if op.Operator == "Div" && op.Constant == nil || op.Operator == "Pow" || nn.Compares(op.Operator) {
				return nil, nil, noLogits(last)
			}
			// A logarithm of a softmax subtracts one number from all logits: the softmax stays the same.
			if op.Operator == "Sub" && op.Constant == nil && nn.Size(shapes[last.Inputs[1]]) == 1 {
				logits = last.Inputs[0]
			}
		}
		if logits != "" {
			if front, _, err = g.Cut(logits); err != nil {
				return nil, nil, fmt.Errorf("the net has a softmax and no logits before it: %w", err)
			}
		}
	}
	if nn.Size(shapes[front.Output]) < 2 && s.surface() != SurfaceLogits {
		return nil, nil, fmt.Errorf("the net has one output, which is neither a distribution over classes nor a choice between them: release it as %s, with the name of its node", SurfaceFeatures)
	}
	if s.surface() == SurfaceProbabilities {
		appendNode(front, "release-softmax", &nn.Softmax{}, front.Output)
	}
	if shapes, err = front.Shapes(); err != nil {
		return nil, nil, err
	}
	head = &nn.Graph{Name: g.Name, Input: front.Output, InputShape: shapes[front.Output], Output: front.Output}
	appendNode(head, "release-scores", &nn.Identity{}, head.Output)
	return front, head, nil
}

// lastOf returns the node that computes the net's output, or what only hands it on. It is nil if
// the output is the input.
func lastOf(g *nn.Graph) *nn.Node {
	producer := map[string]*nn.Node{}
	for _, n := range g.Nodes {
		producer[n.Output] = n
	}
	n := producer[g.Output]
	for n != nil {
		switch n.Op.(type) {
		case *nn.Identity, *nn.Reshape, *nn.Dropout:
			n = producer[n.Inputs[0]]
			continue
		}
		break
	}
	return n
}

func noLogits(last *nn.Node) error {
	return fmt.Errorf("the net ends in node %q (%s), so its outputs are not known to be logits: release them, or the input of that node, as %s with the name of the node", last.Name, last.Op.Kind(), SurfaceFeatures)
}

// Holds reports whether bounds hold for the release with this noise, or for the label of it alone, and why. The reason is empty
// if there is nothing to say.
func (s Spec) Holds(noise Noise, label bool) (ok bool, reason string) {
	switch {
	case s.surface() == SurfaceLabel:
		return false, "only the label leaves, without noise of its own: labels do not change smoothly with the input, so HCR bounds do not apply"
	case noise == nil || noise == None{}:
		return false, "no noise is added: the release is a function of the input, so an adversary tells two inputs apart with certainty"
	case label:
		return true, "the bounds hold: the choice of the largest after the noise is post-processing, which cannot reveal more"
	}
	return true, ""
}
