// Package classical has the functions of classical machine learning that package nn applies
// by their values only, as [nn.Opaque]: ensembles of trees, tables, imputation, votes. They follow the operators of the domain ai.onnx.ml, as ONNX Runtime
// computes them where the standard leaves it open.
package classical
