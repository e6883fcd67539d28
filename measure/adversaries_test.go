package measure

import (
	"strings"
	"testing"

	"tattle/nn"
)

// sized is a model that only has sizes.
type sized struct {
	nn.Model
	inputs, features int
}

func (s sized) Dims() (p, n int) { return s.inputs, s.features }

// The decoder runs by default for paper A's MNIST net and is left out for its CIFAR-10
// net, with a message that says how to run it. Asked for by name it always runs.
func TestDecoderRunsWhereItIsCheap(t *testing.T) {
	mnist, cifar := sized{inputs: 784, features: 784}, sized{inputs: 3072, features: 3072}
	if err := (Adversaries{}).tooLong(mnist, 60000); err != nil {
		t.Error(err)
	}
	if err := (Adversaries{}).tooLong(cifar, 50000); err == nil || !strings.Contains(err.Error(), "--attack linear,inversion,decoder") {
		t.Errorf("left out with %v", err)
	}
	if err := (Adversaries{NeedsAttacks: true}).tooLong(cifar, 50000); err != nil {
		t.Error(err)
	}
}
