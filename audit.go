package tattle

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"tattle/audit"
	"tattle/curious"
)

// Audit tests whether the outputs of a classifier carry a sensitive attribute beyond what
// the target attribute explains. outputs has one row for each example, with a probability or
// a score for each class of the target; target and sensitive are the true classes of each
// example, counted from 0. Outputs are taken for probabilities if every row is at least 0
// and adds up to 1. It returns an error if these do not fit together.
func Audit(ctx context.Context, outputs [][]float32, target, sensitive []int, o audit.Options) (*audit.Result, error) {
	if len(outputs) == 0 || len(target) != len(outputs) || len(sensitive) != len(outputs) {
		return nil, fmt.Errorf("%d rows of outputs, %d target and %d sensitive classes: give as many of each, at least one", len(outputs), len(target), len(sensitive))
	}
	s := &audit.Sample{Name: "outputs", Kind: curious.Soft, Target: "target", Y: target, Classes: numbered(len(outputs[0]) - 1)}
	for i, row := range outputs {
		if len(row) != len(outputs[0]) {
			return nil, fmt.Errorf("row %d has %d outputs, row 0 has %d: give one for each class of the target", i, len(row), len(outputs[0]))
		}
		if !distribution(row) {
			s.Kind = curious.Raw
		}
		s.Outputs = append(s.Outputs, row...)
	}
	s.Sensitive = []audit.Attribute{{Name: "sensitive", Labels: sensitive, Values: numbered(slices.Max(sensitive))}}
	return audit.Run(ctx, s, o)
}

// numbered names the classes 0 to last by their numbers.
func numbered(last int) []string {
	var names []string
	for i := range last + 1 {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

// sumTolerance is what the sum of probabilities in float32 may differ from 1.
const sumTolerance = 1e-3

// distribution reports whether the numbers of a row are probabilities.
func distribution(row []float32) bool {
	sum := 0.
	for _, v := range row {
		if !(v >= 0) {
			return false
		}
		sum += float64(v)
	}
	return sum >= 1-sumTolerance && sum <= 1+sumTolerance
}
