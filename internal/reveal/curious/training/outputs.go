package training

import (
	"context"
	"errors"
	"io"
	"strconv"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/reveal/curious"
)

// WriteOutputs writes the outputs of a classifier on the test part, with the labels, into
// an .npz file: what an audit needs.
func WriteOutputs(ctx context.Context, files *file.Dir, path string, t *curious.Result, test *dataset.Set) error {
	outputs, err := curious.Predict(ctx, t.Classifier, test)
	if err != nil {
		return err
	}
	n := test.Len()
	return files.Write(path, func(f io.Writer) error {
		w := npy.NewWriter(f)
		err := errors.Join(w.Add("outputs", []int{n, len(outputs) / n}, outputs), w.Add("y", []int{n}, test.Y))
		for i, s := range test.Sensitive {
			name := "s"
			if len(test.Sensitive) > 1 {
				name += strconv.Itoa(i + 1)
			}
			err = errors.Join(err, w.Add(name, []int{n}, s.Labels))
		}
		return errors.Join(err, w.Close())
	})
}
