package training

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"tattle/curious"
	"tattle/internal/file"
	"tattle/nn/train"
	"tattle/npy"
)

// stateArray names an array in the file of an unfinished training: that of the values, or of one
// of the moments, of parameter i.
func stateArray(what string, i int) string { return fmt.Sprintf("%s-%d", what, i) }

// stateParts are the arrays for each parameter.
var stateParts = [3]string{"value", "first-moment", "second-moment"}

// writeState keeps an unfinished training in a file. Its epochs are rows of "epochs": loss, accuracy
// in training, accuracy on the test set.
func writeState(path string, s train.State, measured []curious.HistoryEpoch) error {
	return file.Write(path, func(w io.Writer) error {
		z := npy.NewWriter(w)
		var rows []float64
		for i, e := range s.Result.Epochs {
			rows = append(rows, e.Loss, e.Accuracy, measured[i].Accuracy)
		}
		err := errors.Join(z.Add("epochs", []int{len(rows) / 3, 3}, rows), z.Add("steps", []int{1}, []int64{int64(s.Result.Steps)}))
		for i, values := range s.Params {
			for k, part := range [3][]float32{values, s.Moments[i][0], s.Moments[i][1]} {
				err = errors.Join(err, z.Add(stateArray(stateParts[k], i), []int{len(part)}, part))
			}
		}
		return errors.Join(err, z.Close())
	})
}

// readState reads what writeState wrote; the state is nil if there is no file.
func readState(path string) (*train.State, []curious.HistoryEpoch, error) {
	f, err := npy.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	s := new(train.State)
	var measured []curious.HistoryEpoch
	rows, shape, err := f.Float64s("epochs")
	if err == nil && (len(shape) != 2 || shape[1] != 3) {
		err = fmt.Errorf("%s: epochs of shape %v", path, shape)
	}
	steps, _, other := f.Ints("steps")
	if err = errors.Join(err, other); err != nil || len(steps) != 1 || steps[0] < 0 {
		return nil, nil, fmt.Errorf("%s: not an unfinished training (%v): take the file away, and the training starts again", path, err)
	}
	for i := range shape[0] {
		s.Result.Epochs = append(s.Result.Epochs, train.Epoch{Loss: rows[3*i], Accuracy: rows[3*i+1]})
		measured = append(measured, curious.HistoryEpoch{Loss: rows[3*i], Accuracy: rows[3*i+2]})
	}
	s.Result.Steps = steps[0]
	for i := range (len(f.Names()) - 2) / len(stateParts) {
		var parts [3][]float32
		for k, what := range stateParts {
			if parts[k], _, err = f.Float32s(stateArray(what, i)); err != nil {
				return nil, nil, fmt.Errorf("%w: take the file away, and the training starts again", err)
			}
		}
		s.Params, s.Moments = append(s.Params, parts[0]), append(s.Moments, [2][]float32{parts[1], parts[2]})
	}
	return s, measured, nil
}
