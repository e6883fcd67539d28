package nn

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Init draws the parameters of every operator of the graph from PyTorch's default
// distribution: weights and biases of affine layers and convolutions uniform in
// ±1/√fan_in (Kaiming's uniform initialisation with a = √5), norms as the identity on
// standardised data. Other learned constants stay. Equal seeds give equal
// bytes.
func (g *Graph) Init(seed uint64) {
	r := Rand(seed, 0)
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case affineOp:
			if a := op.affine(); len(n.Params()) > 0 {
				uniform(r, Size(a.weight.Shape[1:]), a.weight, a.bias)
			}
		case *LayerNorm:
			asIdentity(op.Scale, op.Shift)
		case *BatchNorm:
			asIdentity(op.Scale, op.Shift)
			op.Mean.Fill(0)
			op.Variance.Fill(1)
		}
	}
}

// asIdentity makes the parameters of a norm, those that are not nil, 1 and 0.
func asIdentity(scale, shift *Param) {
	if scale != nil {
		scale.Fill(1)
	}
	if shift != nil {
		shift.Fill(0)
	}
}

// Rand returns the generator of one of the streams of a seed.
func Rand(seed, stream uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], stream)
	return rand.New(rand.NewChaCha8(key))
}

// uniform fills the parameters, those that are not nil, from U(±1/√fanIn).
func uniform(r *rand.Rand, fanIn int, ps ...*Param) {
	bound := 1 / math.Sqrt(float64(fanIn))
	for _, p := range present(ps...) {
		for i := range p.Data {
			p.Data[i] = float32(bound * (2*r.Float64() - 1))
		}
		p.Changed()
	}
}

// Fill sets every entry.
func (p *Param) Fill(v float32) {
	fill(p.Data, v)
	p.Changed()
}

// NewDense returns an affine layer of zeros.
func NewDense(name string, in, out int) *Dense {
	return &Dense{In: in, Out: out, Weight: NewParam(name+".weight", out, in), Bias: NewParam(name+".bias", out)}
}

// NewParam returns a parameter of zeros.
func NewParam(name string, shape ...int) *Param {
	return &Param{Name: name, Shape: shape, Data: make([]float32, Size(shape))}
}
