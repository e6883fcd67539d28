// Package zoo builds the nets of the papers and well-known ones as [nn.Graph]
// values: paper A's classifiers ([MNIST], [CIFAR10]), paper B's classifier and its
// attack ([Curious], [Attack]), a net for tables ([Table]), [ResNet18], [ResNet20]
// and Swin transformers ([SwinT], [Swin]). Equal seeds give equal parameters, to
// the byte. [Vectors] stands for no net at all.
package zoo
