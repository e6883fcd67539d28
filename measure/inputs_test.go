package measure

import (
	"errors"
	"strings"
	"testing"

	"tattle/dataset"
)

// A limit in number holds for what adversaries learn from, too; indices are of the measured part.
func TestTrainingLimit(t *testing.T) {
	measured := &dataset.Set{Shape: []int{1}, SHA256: "test"}
	for _, c := range []struct {
		in   Inputs
		want string // limits of the training data that are read, in turn
	}{
		{Inputs{}, "''"},
		{Inputs{Limit: "7", TrainingLimit: 7}, "'7'"},
		{Inputs{Limit: "7"}, "'7' ''"},
		{Inputs{Limit: "some.npy"}, "'some.npy' ''"},
		{Inputs{Limit: "some.npy", TrainingLimit: 3}, "'some.npy' '3'"},
	} {
		var read []string
		_, _, err := c.in.Training("", measured, func(in Inputs) (*dataset.Set, error) {
			read = append(read, "'"+in.Limit+"'")
			return &dataset.Set{Shape: []int{1}, SHA256: "train"}, nil
		})
		if got := strings.Join(read, " "); err != nil || got != c.want {
			t.Errorf("%+v: %s, want %s; %v", c.in, got, c.want, err)
		}
	}
	_, _, err := Inputs{Limit: "7"}.Training("", measured, func(in Inputs) (*dataset.Set, error) { return measured, nil })
	if !errors.Is(err, errOnePart) {
		t.Errorf("one part: %v", err)
	}
}
