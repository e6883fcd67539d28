//go:build purego || !amd64

package simd

func exp(dst, x []float32)                           { expGo(dst, x) }
func expSum(dst, x []float32, shift float32) float32 { return expSumGo(dst, x, shift) }
func sigmoid(dst, x []float32)                       { sigmoidGo(dst, x) }
func sigmoidSlope(dst, d, x []float32)               { sigmoidSlopeGo(dst, d, x) }
func tanh(dst, x []float32)                          { tanhGo(dst, x) }
func tanhSlope(dst, d, x []float32)                  { tanhSlopeGo(dst, d, x) }
func softplus(dst, x []float32)                      { softplusGo(dst, x) }
func erf(dst, x []float32)                           { erfGo(dst, x) }
func erfSlope(dst, d, x []float32)                   { erfSlopeGo(dst, d, x) }
func gelu(dst, x []float32)                          { geluGo(dst, x) }
func geluSlope(dst, d, x []float32)                  { geluSlopeGo(dst, d, x) }
