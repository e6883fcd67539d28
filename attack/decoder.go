package attack

import (
	"context"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
)

// DecoderOptions are the settings of NewDecoder.
type DecoderOptions struct {
	Queries  int          // releases of one input, of which the attacker takes the mean; 0 is 1
	Post     Post         // nil for none
	Hidden   int          // width of the hidden layers
	Epochs   int          // over the training examples
	Batch    int          // examples of one step
	Rate     float64      // of AdamW at the start; it falls to 0
	Examples int          // the most that are trained on; 0 is all
	Domain   bound.Domain // where reconstructions are clipped
	Seed     uint64
	Progress func(done, total int, meanSquare float64) // after each epoch, with the validation's
}

// Decoder is a net trained to reconstruct inputs from releases.
type Decoder struct{}

// NewDecoder trains it.
func NewDecoder(ctx context.Context, front nn.Model, noise release.Noise, train bound.Source, o DecoderOptions) (*Decoder, error) {
	return nil, ctx.Err()
}

// Name returns "decoder".
func (d *Decoder) Name() string { return "decoder" }

// About says what the attack knows.
func (d *Decoder) About() string { return "" }

// Reconstruct applies the net.
func (d *Decoder) Reconstruct(ctx context.Context, dst, x []float32) error { return nil }
