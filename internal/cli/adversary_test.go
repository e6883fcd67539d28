package cli

import (
	"strings"
	"testing"

	"tattle/nn"
)

// sized is a model of which only the sizes matter.
type sized struct {
	nn.Model
	inputs, features int
}

func (s sized) Dims() (p, n int) { return s.inputs, s.features }

// The decoder runs unasked for paper A's MNIST net and is left out for its CIFAR-10 net,
// saying how to run it. Asked for by name it always runs.
func TestDecoderRunsWhereItIsCheap(t *testing.T) {
	mnist, cifar := sized{inputs: 784, features: 784}, sized{inputs: 3072, features: 3072}
	if err := (&rungs{}).tooLong(mnist, 60000); err != nil {
		t.Error(err)
	}
	if err := (&rungs{}).tooLong(cifar, 50000); err == nil || !strings.Contains(err.Error(), "--attack linear,inversion,decoder") {
		t.Errorf("left out with %v", err)
	}
	if err := (&rungs{needsAttacks: true}).tooLong(cifar, 50000); err != nil {
		t.Error(err)
	}
}
