package verify

import (
	"context"
	"path/filepath"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// graphs returns both sides of the release, built again from the model and the specification
// in the report. They must be those that the run kept, if it kept any. If the model is absent
// they are those. The covariance's layers, and a projection that was
// learned if the training data are absent, are taken from the files of the run and checked.
func (q *request) graphs(ctx context.Context) (front, head *nn.Graph, err error) {
	var kept [2]*nn.Graph // front and head
	names := [2]string{measure.FrontFile, measure.HeadFile}
	switch {
	case !q.AsIs():
		for i, name := range names {
			if kept[i], err = onnx.Read(filepath.Join(q.dir, name)); err != nil {
				return nil, nil, err
			}
		}
		if q.Graph == nil && q.Spec.ClipNorm > 0 {
			clipped, _, err := q.Spec.Reclipped(kept[0], kept[1])
			if err == nil {
				err = onnx.Same(kept[0], clipped)
			}
			if err != nil {
				return nil, nil, mismatch("%s: %s does not end in the clip of the norm: %w", q.dir, measure.FrontFile, err)
			}
		}
		if q.Graph == nil {
			return kept[0], kept[1], nil
		}
	case q.Graph == nil:
		return nil, nil, mismatch("%s: the report lists %s, and says that features are released as they are", q.dir, measure.FrontFile)
	}
	if q.Spec.Surface == release.SurfaceFeatures {
		q.Spec.Node = q.setup.Node
	}
	var train nn.Source
	if q.train != nil {
		train = q.train
	}
	built, err := run.Interruptible(ctx, func() (b [2]*nn.Graph, err error) {
		if q.AsIs() {
			b[0], b[1], err = q.Spec.Build(ctx, q.Graph, nil)
		} else {
			b[0], b[1], err = q.Spec.BuildLike(ctx, q.Graph, train, kept[0], kept[1])
		}
		return b, err
	})
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, mismatch("%s: the release cannot be built again: %w", q.dir, err)
	}
	for i, name := range names {
		if kept[i] == nil {
			continue
		}
		if err := onnx.Same(kept[i], built[i]); err != nil {
			return nil, nil, mismatch("%s: %s is not %s of the model: %w", q.dir, name, q.Release, err)
		}
	}
	return built[0], built[1], nil
}
