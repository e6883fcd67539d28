package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Paper A's features of the built-in nets with a pool before the last affine layer:
// the activations before the pool, by their nodes.
const (
	ResNet18Features = "layer4.1.relu2" // [512, 7, 7]
	SwinTFeatures    = "norm"           // [7, 7, 768]
	ResNet20Features = "layer3.2.relu2" // [64, 8, 8]
)

// ResNet18 returns the residual net of 18 layers (He et al., Deep residual learning
// for image recognition, Table 1) of images [3, 224, 224] into a number of classes
// (logits), with parameters drawn by the seed as He's. Nodes and parameters have
// the names, order and shapes of torchvision's resnet18. Paper A's features
// (section 3.3) are ResNet18Features.
func ResNet18(classes int, seed uint64) *Graph {
	b := newBuilder("resnet18", 3, 224, 224)
	b.convAs("conv1", 64, 7, 2, 3)
	b.batchNormAs("bn1")
	b.append("relu", &ReLU{})
	b.append("maxpool", &MaxPool{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}})
	for layer := range 4 {
		for block := range 2 {
			stride := 1
			if layer > 0 && block == 0 {
				stride = 2
			}
			b.residual(fmt.Sprintf("layer%d.%d", layer+1, block), 64<<layer, stride, b.projected)
		}
	}
	return b.pooled("avgpool", "fc", classes, seed, true)
}

// ResNet20 returns the residual net of 20 layers for CIFAR-10 (He et al., section
// 4.2) of images [3, 32, 32] into a number of classes (logits), with parameters
// drawn by the seed. Shortcuts that shrink take every second pixel and add channels
// of zeros on both sides (their option A), as in Y. Idelbayev's resnet20.
func ResNet20(classes int, seed uint64) *Graph {
	b := newBuilder("resnet20", 3, 32, 32)
	b.convAs("conv1", 16, 3, 1, 1)
	b.batchNormAs("bn1")
	b.append("relu", &ReLU{})
	for layer := range 3 {
		for block := range 3 {
			stride := 1
			if layer > 0 && block == 0 {
				stride = 2
			}
			b.residual(fmt.Sprintf("layer%d.%d", layer+1, block), 16<<layer, stride, b.padded)
		}
	}
	return b.pooled("avgpool", "linear", classes, seed, false)
}

// convAs appends a square convolution without bias.
func (b *builder) convAs(name string, out, kernel, stride, pad int) {
	in := b.shape[0]
	b.append(name, &Conv2D{
		InChannels: in, OutChannels: out,
		Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride}, Dilation: [2]int{1, 1}, Groups: 1,
		Pad:    [4]int{pad, pad, pad, pad},
		Weight: newParam(name+".weight", out, in, kernel, kernel),
	})
}

func (b *builder) denseAs(name string, out int, bias bool) {
	in := b.shape[len(b.shape)-1]
	d := &Dense{In: in, Out: out, Weight: newParam(name+".weight", out, in)}
	if bias {
		d.Bias = newParam(name+".bias", out)
	}
	b.append(name, d)
}

// residual appends a basic block: two convolutions and what a shortcut hands on.
func (b *builder) residual(name string, out, stride int, shortcut func(name, x string, out, stride int) string) {
	x, changes := b.g.Output, stride != 1 || b.shape[0] != out
	b.convAs(name+".conv1", out, 3, stride, 1)
	b.batchNormAs(name + ".bn1")
	b.append(name+".relu1", &ReLU{})
	b.convAs(name+".conv2", out, 3, 1, 1)
	b.batchNormAs(name + ".bn2")
	y := b.g.Output
	if changes {
		x = shortcut(name, x, out, stride)
	}
	b.join(name+".add", &Add{}, y, x)
	b.append(name+".relu2", &ReLU{})
}

// projected is the shortcut by a convolution (option B).
func (b *builder) projected(name, x string, out, stride int) string {
	b.g.Output, b.shape = x, b.shapes[x]
	b.convAs(name+".downsample.0", out, 1, stride, 0)
	b.batchNormAs(name + ".downsample.1")
	return b.g.Output
}

// padded is the shortcut without parameters (option A).
func (b *builder) padded(name, x string, out, stride int) string {
	in := b.shapes[x]
	smaller := func(n int) int { return (n + stride - 1) / stride }
	b.join(name+".shortcut.slice", &Slice{
		Starts: []int{0, 0, 0}, Steps: []int{1, stride, stride}, Counts: []int{in[0], smaller(in[1]), smaller(in[2])},
	}, x)
	more := out - in[0]
	b.append(name+".shortcut.pad", &Pad{Before: []int{more / 2, 0, 0}, After: []int{more - more/2, 0, 0}})
	return b.g.Output
}

// pooled ends a residual net and draws its parameters: convolutions as He's normal
// distribution by the number of outputs that an input enters, or else, and the last
// layer too, by the number of inputs.
func (b *builder) pooled(pool, last string, classes int, seed uint64, byOutputs bool) *Graph {
	b.append(pool, &GlobalAveragePool{})
	b.append("flatten", &Flatten{})
	b.denseAs(last, classes, true)
	g := b.graph(seed)
	r := rand.New(rand.NewChaCha8(chachaKey(seed, 1)))
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case *Conv2D:
			fan := op.InChannels
			if byOutputs {
				fan = op.OutChannels
			}
			normal(r, op.Weight, math.Sqrt(2/float64(fan*op.Kernel[0]*op.Kernel[1])), math.Inf(1))
		case *Dense:
			if !byOutputs {
				normal(r, op.Weight, math.Sqrt(2/float64(op.In)), math.Inf(1))
			}
		}
	}
	return g
}
