// Package classical has the functions of classical machine learning that package nn applies
// by their values only: ensembles of trees, tables, imputation, votes. Each is an
// [nn.RowFunction]. They follow the operators of the domain ai.onnx.ml, as ONNX Runtime
// computes them where the standard leaves it open.
package classical
