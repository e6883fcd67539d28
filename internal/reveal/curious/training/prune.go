package training

import (
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
)

// KeepPruned writes the teacher's classifier with a fraction of its weights set to zero,
// and its attacks, into dir.
func (t *Teacher) KeepPruned(files *file.Dir, dir string, fraction float64) error {
	g, err := curious.Prune(t.Model.Classifier, fraction)
	if err != nil {
		return err
	}
	return curious.Save(files, dir, &curious.Result{Classifier: g, Attacks: t.Model.Attacks})
}
