package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
	"tattle/run"
)

// graphs returns both sides of the release, built again from the model and the specification
// in the report. They must be those that the run kept, if it kept any. If the model is absent
// they are those.
func (q *request) graphs(ctx context.Context, dir string, r *report.Report) (front, head *nn.Graph, err error) {
	if q.AsIs() {
		if q.Graph == nil {
			return nil, nil, mismatch("%s: the report lists %s, and says that features are released as they are", dir, measure.FrontFile)
		}
		if front, head, err = q.again(ctx, r, nil, nil); err != nil && ctx.Err() == nil {
			return nil, nil, mismatch("%s: the release cannot be built again: %w", dir, err)
		}
		return front, head, err
	}
	keptFront, err := keptGraph(dir, r, measure.FrontFile)
	if err != nil {
		return nil, nil, err
	}
	keptHead, err := keptGraph(dir, r, measure.HeadFile)
	if err != nil || q.Graph == nil {
		return keptFront, keptHead, err
	}
	front, head, err = q.again(ctx, r, keptFront, keptHead)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, mismatch("%s: the release cannot be built again: %w", dir, err)
	}
	for _, x := range []struct {
		name        string
		kept, again *nn.Graph
	}{{measure.FrontFile, keptFront, front}, {measure.HeadFile, keptHead, head}} {
		if err := sameGraph(x.kept, x.again); err != nil {
			return nil, nil, mismatch("%s: %s is not %s of the model: %w", dir, x.name, q.Release, err)
		}
	}
	return front, head, nil
}

// again builds the release from the model. The covariance's layers, and a projection that was
// learned if the training data are absent, are taken from the files of the run and checked.
func (q *request) again(ctx context.Context, r *report.Report, keptFront, keptHead *nn.Graph) (front, head *nn.Graph, err error) {
	if q.Spec.Surface == release.SurfaceFeatures {
		q.Spec.Node = q.setup.Node
	}
	var train nn.Source
	if q.train != nil {
		train = q.train
	}
	type both struct{ front, head *nn.Graph }
	b, err := run.Interruptible(ctx, func() (b both, err error) {
		if keptFront == nil {
			b.front, b.head, err = q.Spec.Build(ctx, q.Graph, nil)
		} else {
			b.front, b.head, err = q.Spec.BuildLike(ctx, q.Graph, train, keptFront, keptHead)
		}
		return b, err
	})
	return b.front, b.head, err
}

// sameGraph returns an error if a graph that was read from a file is not the one that
// writing and reading another gives.
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
