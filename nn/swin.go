package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
func SwinT(classes int, seed uint64) *Graph {
	g := Swin(SwinOptions{Classes: classes}, seed)
	g.Name = "swin_t"
	return g
}

// Swin returns a Swin transformer (Liu et al., 2021), as torchvision's, whose
// parameters have the same names, order and shapes; its stochastic depth in
// training is left out. Images are [Channels, Side, Side], the outputs logits. The
// tensor before the pool is that of the node "norm". It panics where a setting is not
// positive or does not divide another that it must.
func Swin(o SwinOptions, seed uint64) *Graph {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		panic("nn: " + err.Error())
	}
	b := &swin{newBuilder("swin", o.Channels, o.Side, o.Side), o}
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
	b.append("avgpool", &Reduce{Function: "Mean", Axes: []int{0, 1}})
	b.denseAs("head", o.Classes, true)
	g := b.graph(seed)
	drawSwin(g, seed)
	return g
}

// drawSwin draws affine weights and tables of biases from a narrow normal
// distribution; affine biases are 0.
func drawSwin(g *Graph, seed uint64) {
	r := rand.New(rand.NewChaCha8(chachaKey(seed, 1)))
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case *Dense:
			normal(r, op.Weight, swinDeviation, swinCut)
			if op.Bias != nil {
				op.Bias.fill(0)
			}
		case *Constant:
			if op.Learned {
				normal(r, op.Value, swinDeviation, swinCut)
			}
		}
	}
}

// swin builds a Swin transformer; between its parts tensors are [height, width,
// channels].
type swin struct {
	*builder
	o SwinOptions
}

func (b *swin) layerNorm(name string) {
	c := b.shape[len(b.shape)-1]
	b.append(name, &LayerNorm{Axes: 1, Epsilon: DefaultLayerNormEpsilon, Scale: newParam(name+".weight", c), Shift: newParam(name+".bias", c)})
}

// embed makes a vector of each patch.
func (b *swin) embed() {
	p := [2]int{b.o.Patch, b.o.Patch}
	b.append("features.0.0", &Conv2D{
		InChannels: b.o.Channels, OutChannels: b.o.Embed, Kernel: p, Stride: p, Dilation: [2]int{1, 1}, Groups: 1,
		Weight: newParam("features.0.0.weight", b.o.Embed, b.o.Channels, p[0], p[1]),
		Bias:   newParam("features.0.0.bias", b.o.Embed),
	})
	b.append("features.0.1", &Transpose{[]int{1, 2, 0}})
	b.layerNorm("features.0.2")
}

// residual adds what a part makes of the standardised tensor to the tensor.
func (b *swin) residual(name, what, norm string, part func()) {
	x := b.g.Output
	b.layerNorm(name + "." + norm)
	part()
	b.join(name+what+".add", &Add{}, x, b.g.Output)
}

func (b *swin) perceptron(name string) {
	c := b.shape[2]
	b.denseAs(name+".0", c*b.o.MLPRatio, true)
	b.append(name+".1", &Unary{Function: "Gelu"})
	b.denseAs(name+".3", c, true)
}

// merge makes one patch of four, of twice the channels.
func (b *swin) merge(name string) {
	b.pad(name+".pad", 2)
	h, w, c := b.shape[0]/2, b.shape[1]/2, b.shape[2]
	b.append(name+".split", &Reshape{[]int{h, 2, w, 2, c}})
	b.append(name+".gather", &Transpose{[]int{0, 2, 3, 1, 4}})
	b.append(name+".join", &Reshape{[]int{h, w, 4 * c}})
	b.layerNorm(name + ".norm")
	b.denseAs(name+".reduction", 2*c, false)
}

// pad adds zeros below and to the right up to multiples of side.
func (b *swin) pad(name string, side int) {
	more := func(n int) int { return (side - n%side) % side }
	if h, w := more(b.shape[0]), more(b.shape[1]); h+w > 0 {
		b.append(name, &Pad{Before: []int{0, 0, 0}, After: []int{h, w, 0}})
	}
}
