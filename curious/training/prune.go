package training

import (
	"path/filepath"

	"tattle/curious"
	"tattle/onnx"
)

// KeepPruned writes the teacher's classifier with a fraction of its weights set to zero,
// and its attacks, into dir.
func (t *Teacher) KeepPruned(dir string, fraction float64, o curious.PruneOptions) error {
	g, err := curious.Prune(t.Model.Classifier, fraction, o)
	if err != nil {
		return err
	}
	if err := onnx.Write(filepath.Join(dir, modelFile), g); err != nil {
		return err
	}
	return t.copyAttacks(dir)
}
