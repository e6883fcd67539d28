package cli

import (
	"maps"
	"slices"

	"tattle/nn"
	"tattle/nn/zoo"
)

// A builtIn is a net that can be built by its name.
type builtIn struct {
	build      func(classes int, seed uint64) *nn.Graph
	classes    int    // default
	fixed      bool   // the number of classes cannot be changed
	features   string // paper A's; empty for the input of the last affine layer
	preprocess string // for dataset.ParsePreprocess; empty for the default of the data
	about      string
}

// ofClasses builds paper A's nets, which have ten classes.
func ofClasses(build func(seed uint64) *nn.Graph) func(int, uint64) *nn.Graph {
	return func(_ int, seed uint64) *nn.Graph { return build(seed) }
}

// imageNetScale is torchvision's normalisation, for pictures of any size.
const imageNetScale = "mean=.485,.456,.406 std=.229,.224,.225"

var builtIns = map[string]builtIn{
	"mnist":    {build: ofClasses(zoo.MNIST), classes: 10, fixed: true, about: "paper A's net of MNIST"},
	"cifar10":  {build: ofClasses(zoo.CIFAR10), classes: 10, fixed: true, preprocess: "cifar10", about: "paper A's net of CIFAR-10"},
	"resnet20": {build: zoo.ResNet20, classes: 10, features: zoo.ResNet20Features, preprocess: imageNetScale, about: "He et al.'s for CIFAR-10"},
	"resnet18": {build: zoo.ResNet18, classes: 1000, features: zoo.ResNet18Features, preprocess: "imagenet", about: "torchvision's, of paper A's figure 5"},
	"swin-t":   {build: zoo.SwinT, classes: 1000, features: zoo.SwinTFeatures, preprocess: "imagenet resize=232 filter=bicubic", about: "torchvision's, of paper A's figure 6"},
	"curious": {build: func(classes int, seed uint64) *nn.Graph {
		return zoo.Curious(zoo.CuriousOptions{Classes: classes}, seed)
	}, classes: 2, about: "paper B's classifier"},
}

// builtInNames returns their names in order.
func builtInNames() []string { return slices.Sorted(maps.Keys(builtIns)) }
