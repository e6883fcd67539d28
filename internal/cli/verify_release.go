package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// graphs are both sides of the release: the model cut in two, or what is built again from
// the model and the specification in the report, which must be what the run kept. Where
// the model is absent it is what the run kept.
func (c *verifyCmd) graphs(ctx context.Context, e *env, dir string, r *report.Report, m *remeasured) (front, head *nn.Graph, err error) {
	if m.AsIs() {
		if m.Graph == nil {
			return nil, nil, finding(fmt.Errorf("%s: the report lists %s, and says that features are released as they are", dir, measure.FrontFile), "")
		}
		if front, head, err = m.again(ctx, e, r, nil, nil); err != nil {
			return nil, nil, finding(fmt.Errorf("%s: the release cannot be built again: %w", dir, err), "")
		}
		return front, head, nil
	}
	keptFront, err := keptGraph(dir, r, measure.FrontFile)
	if err != nil {
		return nil, nil, err
	}
	keptHead, err := keptGraph(dir, r, measure.HeadFile)
	if err != nil || m.Graph == nil {
		return keptFront, keptHead, err
	}
	if front, head, err = m.again(ctx, e, r, keptFront, keptHead); err != nil {
		return nil, nil, finding(fmt.Errorf("%s: the release cannot be built again: %w", dir, err), "")
	}
	for _, x := range []struct {
		name        string
		kept, again *nn.Graph
	}{{measure.FrontFile, keptFront, front}, {measure.HeadFile, keptHead, head}} {
		if err := sameGraph(x.kept, x.again); err != nil {
			return nil, nil, finding(fmt.Errorf("%s: %s is not %s of the model: %w", dir, x.name, m.Release, err), "")
		}
	}
	return front, head, nil
}

// again builds the release from the model. A projection that was learned is taken from
// what the run kept where the training data are absent.
func (m *remeasured) again(ctx context.Context, e *env, r *report.Report, keptFront, keptHead *nn.Graph) (front, head *nn.Graph, err error) {
	if m.Spec.Surface == release.SurfaceFeatures {
		m.Spec.Node = r.Model.FeatureNode
	}
	var train nn.Source
	if m.Adversaries != nil {
		train = m.Adversaries.Training
	}
	type both struct{ front, head *nn.Graph }
	b, err := run.Interruptible(ctx, func() (b both, err error) {
		if m.Spec.Projection == release.ProjectionPrincipal && train == nil {
			b.front, b.head, err = m.Spec.BuildLike(ctx, m.Graph, keptFront, keptHead)
		} else {
			b.front, b.head, err = m.Spec.Build(ctx, m.Graph, train)
		}
		return b, err
	})
	return b.front, b.head, err
}

// sameGraph errs where a graph that was read from a file is not what writing and reading
// another gives.
func sameGraph(kept, built *nn.Graph) error {
	file, err := onnx.Encode(built)
	if err != nil {
		return err
	}
	again, err := onnx.Decode("built again", file)
	if err != nil {
		return err
	}
	a, err := onnx.Encode(kept)
	if err != nil {
		return err
	}
	b, err := onnx.Encode(again)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("SHA-256 of the graph is %x, expected %x", sha256.Sum256(a), sha256.Sum256(b))
	}
	return nil
}
