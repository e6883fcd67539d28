package zoo

import (
	"maps"
	"slices"

	"tattle/internal/engine/nn"
)

// A Net is a net that can be built by its name.
type Net struct {
	Build      func(shape []int, classes int, seed uint64) *nn.Graph // for inputs of a shape; nets without Shape have only one
	Shape      []int                                                 // default
	Classes    int                                                   // default
	Fixed      bool                                                  // the number of classes cannot be changed
	Features   string                                                // paper A's; empty for the input of the last affine layer
	Preprocess string                                                // for dataset.ParsePreprocess; empty for the default of the data
	About      string
}

// fixed builds paper A's nets, which have one shape of inputs and ten classes.
func fixed(build func(seed uint64) *nn.Graph) func([]int, int, uint64) *nn.Graph {
	return func(_ []int, _ int, seed uint64) *nn.Graph { return build(seed) }
}

// imageNetShape is that of ImageNet's nets.
var imageNetShape = []int{3, 224, 224}

// imageNetScale is torchvision's normalisation, for pictures of any size.
const imageNetScale = "mean=.485,.456,.406 std=.229,.224,.225"

// Nets returns the nets that can be built, by name. A program that does not call it links none of them.
func Nets() map[string]Net {
	return map[string]Net{
		"mnist":    {Build: fixed(MNIST), Classes: 10, Fixed: true, About: "paper A's net of MNIST"},
		"cifar10":  {Build: fixed(CIFAR10), Classes: 10, Fixed: true, Preprocess: "cifar10", About: "paper A's net of CIFAR-10"},
		"resnet20": {Build: resNet20, Shape: []int{3, 32, 32}, Classes: 10, Features: resNet20Features, Preprocess: imageNetScale, About: "He et al.'s for CIFAR-10"},
		"resnet18": {Build: resNet18, Shape: imageNetShape, Classes: 1000, Features: ResNet18Features, Preprocess: "imagenet", About: "torchvision's, of paper A's figure 5"},
		"swin-t":   {Build: swinT, Shape: imageNetShape, Classes: 1000, Features: SwinTFeatures, Preprocess: "imagenet resize=232 filter=bicubic", About: "torchvision's, of paper A's figure 6"},
		"curious": {Build: func(_ []int, classes int, seed uint64) *nn.Graph {
			return Curious(CuriousOptions{Classes: classes}, seed)
		}, Classes: 2, About: "paper B's classifier"},
	}
}

// Names returns the names of Nets in order.
func Names() []string { return slices.Sorted(maps.Keys(Nets())) }
