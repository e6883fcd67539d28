package zoo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
)

// Paper A's features of the built-in nets with a pool before the last affine layer:
// the activations before the pool, by their nodes.
const (
	ResNet18Features = "layer4.1.relu2" // [512, 7, 7]
	SwinTFeatures    = "norm"           // [7, 7, 768]
	resNet20Features = "layer3.2.relu2" // [64, 8, 8]
)

// ResNet18 returns the residual net of 18 layers (He et al., Deep residual learning
// for image recognition, Table 1) of images [3, 224, 224] into a number of classes
// (logits), with parameters drawn by the seed as He's. Nodes and parameters have
// the names, order and shapes of torchvision's resnet18. Paper A's features
// (section 3.3) are ResNet18Features.
func ResNet18(classes int, seed uint64) *nn.Graph { return resNet18(imageNetShape, classes, seed) }

func resNet18(shape []int, classes int, seed uint64) *nn.Graph {
	b := &resnet{nn.NewBuilder("resnet18", shape...)}
	b.Conv("conv1", 64, 7, 2, 3, false)
	b.BatchNorm("bn1")
	b.Add("relu", &nn.ReLU{})
	b.Add("maxpool", &nn.MaxPool{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}})
	b.layers(4, 2, 64, b.projected)
	return b.pooled("avgpool", "fc", classes, seed, true)
}

// ResNet20 returns the residual net of 20 layers for CIFAR-10 (He et al., section
// 4.2) of images [3, 32, 32] into a number of classes (logits), with parameters
// drawn by the seed. Shortcuts that shrink take every second pixel and add channels
// of zeros on both sides (their option A), as in Y. Idelbayev's resnet20.
func ResNet20(classes int, seed uint64) *nn.Graph { return resNet20([]int{3, 32, 32}, classes, seed) }

func resNet20(shape []int, classes int, seed uint64) *nn.Graph {
	b := &resnet{nn.NewBuilder("resnet20", shape...)}
	b.Conv("conv1", 16, 3, 1, 1, false)
	b.BatchNorm("bn1")
	b.Add("relu", &nn.ReLU{})
	b.layers(3, 3, 16, b.padded)
	return b.pooled("avgpool", "linear", classes, seed, false)
}

// resnet builds a residual net.
type resnet struct{ *nn.Builder }

// layers appends layers of blocks. Each layer but the first has twice the channels of the one before,
// and half its side.
func (b *resnet) layers(n, blocks, channels int, shortcut func(name, x string, out, stride int) string) {
	for layer := range n {
		for block := range blocks {
			stride := 1
			if layer > 0 && block == 0 {
				stride = 2
			}
			b.residual(fmt.Sprintf("layer%d.%d", layer+1, block), channels<<layer, stride, shortcut)
		}
	}
}

// residual appends a basic block: two convolutions and what a shortcut hands on.
func (b *resnet) residual(name string, out, stride int, shortcut func(name, x string, out, stride int) string) {
	x, changes := b.Graph.Output, stride != 1 || b.Last()[0] != out
	b.Conv(name+".conv1", out, 3, stride, 1, false)
	b.BatchNorm(name + ".bn1")
	b.Add(name+".relu1", &nn.ReLU{})
	b.Conv(name+".conv2", out, 3, 1, 1, false)
	b.BatchNorm(name + ".bn2")
	y := b.Graph.Output
	if changes {
		x = shortcut(name, x, out, stride)
	}
	b.Join(name+".add", &nn.Binary{Operator: "Add"}, y, x)
	b.Add(name+".relu2", &nn.ReLU{})
}

// projected is the shortcut by a convolution (option B).
func (b *resnet) projected(name, x string, out, stride int) string {
	b.Graph.Output = x
	b.Conv(name+".downsample.0", out, 1, stride, 0, false)
	b.BatchNorm(name + ".downsample.1")
	return b.Graph.Output
}

// padded is the shortcut without parameters (option A).
func (b *resnet) padded(name, x string, out, stride int) string {
	in := b.Shape(x)
	smaller := func(n int) int { return (n + stride - 1) / stride }
	b.Join(name+".shortcut.slice", &nn.Slice{
		Starts: []int{0, 0, 0}, Steps: []int{1, stride, stride}, Counts: []int{in[0], smaller(in[1]), smaller(in[2])},
	}, x)
	more := out - in[0]
	b.Add(name+".shortcut.pad", &nn.Pad{Before: []int{more / 2, 0, 0}, After: []int{more - more/2, 0, 0}})
	return b.Graph.Output
}

// pooled ends a residual net and draws its parameters: convolutions as He's normal
// distribution by the number of outputs that an input enters, or else, and the last
// layer too, by the number of inputs.
func (b *resnet) pooled(pool, last string, classes int, seed uint64, byOutputs bool) *nn.Graph {
	b.Add(pool, &nn.Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})
	b.Add("flatten", nn.Flatten())
	b.Dense(last, classes, true)
	g := initialised(b.Builder, seed)
	r := nn.Rand(seed, 1)
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case *nn.Conv2D:
			fan := op.InChannels
			if byOutputs {
				fan = op.OutChannels
			}
			normal(r, op.Weight, math.Sqrt(2/float64(fan*op.Kernel[0]*op.Kernel[1])), math.Inf(1))
		case *nn.Dense:
			if !byOutputs {
				normal(r, op.Weight, math.Sqrt(2/float64(op.In)), math.Inf(1))
			}
		}
	}
	return g
}

// normal fills the parameter from N(0, deviation²), truncated at ±limit.
func normal(r *rand.Rand, p *nn.Param, deviation, limit float64) {
	for i := range p.Data {
		v := deviation * r.NormFloat64()
		for math.Abs(v) > limit {
			v = deviation * r.NormFloat64()
		}
		p.Data[i] = float32(v)
	}
	p.Changed()
}
