package zoo

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// SwinOptions are the settings of Swin; zero means Swin-T's, but for Classes, which
// must be named.
type SwinOptions struct {
	Classes  int   // outputs
	Channels int   // of the images; zero means 3
	Side     int   // of the images in pixels, a multiple of Patch; zero means 224
	Patch    int   // side of the patches that are embedded; zero means 4
	Embed    int   // channels of the first stage, doubled in each further; zero means 96
	Depths   []int // blocks of each stage; nil means 2, 2, 6, 2
	Heads    []int // of each stage; nil means 3, 6, 12, 24
	Window   int   // side of the windows in patches; zero means 7
	MLPRatio int   // hidden units over channels; zero means 4
}

// The settings of Swin-T (Liu et al., Swin transformer, section 3.3).
var (
	swinTDepths = []int{2, 2, 6, 2}
	swinTHeads  = []int{3, 6, 12, 24}
)

// The spread of initial weights, cut at ±2, and what masks add to the logits of
// patches that are no neighbours: torchvision's.
const (
	swinDeviation = 0.02
	swinCut       = 2
	swinMask      = -100
)

func (o SwinOptions) withDefaults() SwinOptions {
	for _, d := range []struct {
		at    *int
		value int
	}{{&o.Channels, 3}, {&o.Side, 224}, {&o.Patch, 4}, {&o.Embed, 96}, {&o.Window, 7}, {&o.MLPRatio, 4}} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
	if o.Depths == nil {
		o.Depths = swinTDepths
	}
	if o.Heads == nil {
		o.Heads = swinTHeads
	}
	return o
}

func (o SwinOptions) check() error {
	if min(o.Classes, o.Channels, o.Side, o.Patch, o.Embed, o.Window, o.MLPRatio) <= 0 || o.Side%o.Patch != 0 {
		return fmt.Errorf("settings %+v: want positive numbers and a side of whole patches", o)
	}
	if len(o.Depths) == 0 || len(o.Depths) != len(o.Heads) || slices.Min(o.Depths) < 1 {
		return fmt.Errorf("depths %v and heads %v: want one of each stage", o.Depths, o.Heads)
	}
	for i, h := range o.Heads {
		if h <= 0 || o.Embed<<i%h != 0 {
			return fmt.Errorf("%d heads do not divide %d channels", h, o.Embed<<i)
		}
	}
	return nil
}

// SwinT returns Swin-T of images [3, 224, 224] into a number of classes (logits),
// with parameters drawn by the seed. Paper A's features (section 3.3) are
// SwinTFeatures.
func SwinT(classes int, seed uint64) *nn.Graph { return swinT(imageNetShape, classes, seed) }

func swinT(shape []int, classes int, seed uint64) *nn.Graph {
	g := Swin(SwinOptions{Classes: classes, Channels: shape[0], Side: shape[1]}, seed)
	g.Name = "swin_t"
	return g
}

// Swin returns a Swin transformer (Liu et al., 2021), as torchvision's, whose
// parameters have the same names, order and shapes; its stochastic depth in
// training is left out. Images are [Channels, Side, Side], the outputs logits. The
// tensor before the pool is that of the node "norm". It panics if a setting is not
// positive or does not divide another that it must.
func Swin(o SwinOptions, seed uint64) *nn.Graph {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		panic("zoo: " + err.Error())
	}
	b := &swin{nn.NewBuilder("swin", o.Channels, o.Side, o.Side), o}
	b.embed()
	for stage, depth := range o.Depths {
		for block := range depth {
			name := fmt.Sprintf("features.%d.%d", 2*stage+1, block)
			b.residual(name, ".attn", "norm1", func() { b.attention(name+".attn", o.Heads[stage], block%2 == 1) })
			b.residual(name, ".mlp", "norm2", func() { b.perceptron(name + ".mlp") })
		}
		if stage < len(o.Depths)-1 {
			b.merge(fmt.Sprintf("features.%d", 2*stage+2))
		}
	}
	b.layerNorm("norm")
	b.Add("avgpool", &nn.Reduce{Function: "Mean", Axes: []int{0, 1}})
	b.Dense("head", o.Classes, true)
	g := initialised(b.Builder, seed)
	drawSwin(g, seed)
	return g
}

// drawSwin draws affine weights and tables of biases from a narrow normal
// distribution; affine biases are 0.
func drawSwin(g *nn.Graph, seed uint64) {
	r := nn.Rand(seed, 1)
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case *nn.Dense:
			normal(r, op.Weight, swinDeviation, swinCut)
			if op.Bias != nil {
				op.Bias.Fill(0)
			}
		case *nn.Constant:
			if op.Learned {
				normal(r, op.Value, swinDeviation, swinCut)
			}
		}
	}
}

// swin builds a Swin transformer; between its parts tensors are [height, width,
// channels].
type swin struct {
	*nn.Builder
	o SwinOptions
}

func (b *swin) layerNorm(name string) {
	c := b.Last()[len(b.Last())-1]
	b.Add(name, &nn.LayerNorm{Axes: 1, Epsilon: nn.DefaultLayerNormEpsilon, Scale: nn.NewParam(name+".weight", c), Shift: nn.NewParam(name+".bias", c)})
}

// embed makes a vector of each patch.
func (b *swin) embed() {
	p := [2]int{b.o.Patch, b.o.Patch}
	b.Add("features.0.0", &nn.Conv2D{
		InChannels: b.o.Channels, OutChannels: b.o.Embed, Kernel: p, Stride: p, Dilation: [2]int{1, 1}, Groups: 1,
		Weight: nn.NewParam("features.0.0.weight", b.o.Embed, b.o.Channels, p[0], p[1]),
		Bias:   nn.NewParam("features.0.0.bias", b.o.Embed),
	})
	b.Add("features.0.1", &nn.Transpose{Perm: []int{1, 2, 0}})
	b.layerNorm("features.0.2")
}

// residual adds what a part makes of the standardised tensor to the tensor.
func (b *swin) residual(name, what, norm string, part func()) {
	x := b.Graph.Output
	b.layerNorm(name + "." + norm)
	part()
	b.Join(name+what+".add", &nn.Binary{Operator: "Add"}, x, b.Graph.Output)
}

func (b *swin) perceptron(name string) {
	c := b.Last()[2]
	b.Dense(name+".0", c*b.o.MLPRatio, true)
	b.Add(name+".1", &nn.Unary{Function: "Gelu"})
	b.Dense(name+".3", c, true)
}

// merge makes one patch of four, of twice the channels.
func (b *swin) merge(name string) {
	b.pad(name+".pad", 2)
	h, w, c := b.Last()[0]/2, b.Last()[1]/2, b.Last()[2]
	b.Add(name+".split", &nn.Reshape{To: []int{h, 2, w, 2, c}})
	b.Add(name+".gather", &nn.Transpose{Perm: []int{0, 2, 3, 1, 4}})
	b.Add(name+".join", &nn.Reshape{To: []int{h, w, 4 * c}})
	b.layerNorm(name + ".norm")
	b.Dense(name+".reduction", 2*c, false)
}

// pad adds zeros below and to the right up to multiples of side.
func (b *swin) pad(name string, side int) {
	more := func(n int) int { return (side - n%side) % side }
	if h, w := more(b.Last()[0]), more(b.Last()[1]); h+w > 0 {
		b.Add(name, &nn.Pad{Before: []int{0, 0, 0}, After: []int{h, w, 0}})
	}
}
