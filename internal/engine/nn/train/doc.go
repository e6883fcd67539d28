// Package train fits the parameters of an [nn.Graph]: [Fit] minimises the cross
// entropy over a labelled [nn.Source]; [Trainer] makes single steps on any loss
// with [NewAdam] or [NewAdamW]. Equal seeds and data give equal parameters, to the
// byte, on any number of cores.
package train
