package cli

import (
	"fmt"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
)

// readFlags say what a model's file leaves open, and what its inputs are.
type readFlags struct {
	InputShape  string `help:"Shape of one input, without the batch, if the file leaves it open." placeholder:"3x224x224" more:""`
	ModelOutput string `help:"Which output of the model, if it has several." placeholder:"NAME" more:""`
	Preprocess  string `help:"TOML file, preset, or settings (default: MODEL.preprocess.toml)." placeholder:"SPEC|FILE" input:"file"`
}

// memoryFlag bounds what a run takes.
type memoryFlag struct {
	Memory byteSize `help:"Memory for data that grow with the number of examples and vectors, such as 4GiB or 500M (default: 4GiB)." placeholder:"SIZE" more:""`
}

// A byteSize is a number of bytes as a flag gives it: 4GiB, 500M, 1e9.
type byteSize int64

// leastMemory is less than any run takes.
const leastMemory = 1 << 20

// UnmarshalText reads a number with k, M, G, T (thousands) or Ki, Mi, Gi, Ti, with or
// without a B behind it.
func (b *byteSize) UnmarshalText(text []byte) error {
	digits := strings.TrimSpace(string(text))
	digits = strings.TrimSuffix(strings.TrimSuffix(digits, "B"), "b")
	base := 1000.
	if s, ok := strings.CutSuffix(digits, "i"); ok {
		digits, base = s, 1024
	}
	unit := 1.
	if n := len(digits); n > 0 {
		if i := strings.IndexByte("KMGT", digits[n-1]&^0x20); i >= 0 {
			digits = digits[:n-1]
			for range i + 1 {
				unit *= base
			}
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil || base == 1024 && unit == 1:
		return fmt.Errorf("%q is not a number of bytes: write it as 4GiB or 500M", text)
	case v == 0:
		*b = 0
	case !(v*unit >= leastMemory && v*unit < 1<<62):
		return fmt.Errorf("%s is not between 1 MiB and what there is", text)
	default:
		*b = byteSize(v * unit)
	}
	return nil
}

// bytes is the budget, the default where none is given.
func (f memoryFlag) bytes() int64 {
	if f.Memory == 0 {
		return bound.DefaultMemory
	}
	return int64(f.Memory)
}

// open reads the model at the path.
func (f readFlags) open(path string) (*measure.Model, error) {
	return measure.OpenModel(path, measure.ModelOptions(f))
}

// differentiable returns an error if a part of the model has a node without a Jacobian.
func differentiable(m *measure.Model, part *nn.Graph) error {
	if err := bound.Differentiable(part); err != nil {
		return fmt.Errorf("--model %s: %w", file.Name(m.Path), err)
	}
	return nil
}
