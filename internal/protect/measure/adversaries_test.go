package measure

import (
	"context"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// sized is a model that only has sizes.
type sized struct {
	nn.Model
	inputs, features int
}

func (s sized) Dims() (p, n int) { return s.inputs, s.features }

// unread is training data that is not to be read.
type unread struct{ nn.Source }

// The decoder runs by default for paper A's MNIST net and is left out for its CIFAR-10
// net, with a message that says how to run it. Asked for by name it always runs.
func TestDecoderRunsWhereItIsCheap(t *testing.T) {
	mnist, cifar := sized{inputs: 784, features: 784}, sized{inputs: 3072, features: 3072}
	must.Do(t, (Adversaries{}).tooLong(mnist, 60000))
	must.Fail(t, (Adversaries{}).tooLong(cifar, 50000), "--attack linear,inversion,decoder") // left out
	must.Do(t, (Adversaries{NeedsAttacks: true}).tooLong(cifar, 50000))
}

// If the user asks for an inversion by name and its prior cannot be computed, the run fails at
// once with the reason.
func TestInversionWithoutPrior(t *testing.T) {
	large := Target{Front: sized{inputs: 20000, features: 1}}
	a := Adversaries{Attacks: []string{"inversion"}, Training: unread{}, NeedsAttacks: true}
	must.Fail(t, must.Err(a.Run(context.Background(), large)), "20000 inputs")
}
