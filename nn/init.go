package nn

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Init draws the parameters of every operator of the graph from PyTorch's default
// distribution: weights and biases of affine layers and convolutions uniform in
// ±1/√fan_in (Kaiming's uniform initialisation with a = √5), norms as the identity on
// standardised data, slopes ¼. Other learned constants stay. Equal seeds give equal
// bytes.
func (g *Graph) Init(seed uint64) {
	r := rand.New(rand.NewChaCha8(chachaKey(seed, 0)))
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case *Dense:
			uniform(r, op.In, op.Weight, op.Bias)
		case *Conv2D:
			uniform(r, Size(op.Weight.Shape[1:]), op.Weight, op.Bias)
		case *ConvTranspose:
			uniform(r, Size(op.Weight.Shape[1:]), op.Weight, op.Bias)
		case *LayerNorm:
			asIdentity(op.Scale, op.Shift)
		case *GroupNorm:
			asIdentity(op.Scale, op.Shift)
		case *BatchNorm:
			asIdentity(op.Scale, op.Shift)
			op.Mean.fill(0)
			op.Variance.fill(1)
		case *PRelu:
			op.Slope.fill(.25)
		}
	}
}

// asIdentity makes the parameters of a norm, those that are not nil, 1 and 0.
func asIdentity(scale, shift *Param) {
	if scale != nil {
		scale.fill(1)
	}
	if shift != nil {
		shift.fill(0)
	}
}

// chachaKey is the generator's key for a seed and the number of a stream.
func chachaKey(seed, stream uint64) (key [32]byte) {
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], stream)
	return key
}

// uniform fills the parameters, those that are not nil, from U(±1/√fanIn).
func uniform(r *rand.Rand, fanIn int, ps ...*Param) {
	bound := 1 / math.Sqrt(float64(fanIn))
	for _, p := range ps {
		if p == nil {
			continue
		}
		for i := range p.Data {
			p.Data[i] = float32(bound * (2*r.Float64() - 1))
		}
		p.Changed()
	}
}

func (p *Param) fill(v float32) {
	for i := range p.Data {
		p.Data[i] = v
	}
	p.Changed()
}

// newParam returns a parameter of zeros.
func newParam(name string, shape ...int) *Param {
	return &Param{Name: name, Shape: shape, Data: make([]float32, Size(shape))}
}

// normal fills the parameter from N(0, deviation²), cut at ±limit.
func normal(r *rand.Rand, p *Param, deviation, limit float64) {
	for i := range p.Data {
		v := deviation * r.NormFloat64()
		for math.Abs(v) > limit {
			v = deviation * r.NormFloat64()
		}
		p.Data[i] = float32(v)
	}
	p.Changed()
}
