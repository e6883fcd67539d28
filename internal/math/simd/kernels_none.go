//go:build purego || !amd64

package simd

const useAVX2, useAVX512 = false, false

// none is the panic of a kernel that no processor has here, and that nothing calls.
const none = "simd: no such kernel"

func channelForwardF32(_, _ *float32, _ int, _ *channelArgs)             { panic(none) }
func channelForwardStreamF32(_, _ *float32, _ int, _ *channelArgs)       { panic(none) }
func channelSumsF32(_, _ *float32, _ int, _ *channelArgs) (_, _ float64) { panic(none) }
func channelCombineF32(_, _, _ *float32, _ int, _ *channelArgs)          { panic(none) }
func channelCombineStreamF32(_, _, _ *float32, _ int, _ *channelArgs)    { panic(none) }
func clipF32(_, _ *float32, _ int, _, _ float32)                         { panic(none) }
func correlateWideF32(_ *float32, _ int, _ *float32, _ int, _ *int, _ *float32, _, _, _ int, _ *float32) {
	panic(none)
}
func correlateWideF64(_ *float64, _ int, _ *float64, _ int, _ *int, _ *float64, _, _, _ int, _ *float64) {
	panic(none)
}
func expF32(_, _ *float32, _ int, _ *uint32)                                        { panic(none) }
func expSumF32(_, _ *float32, _ int, _ *uint32, _ float32) float32                  { panic(none) }
func sigmoidF32(_, _ *float32, _ int, _ *uint32)                                    { panic(none) }
func sigmoidSlopeF32(_, _, _ *float32, _ int, _ *uint32)                            { panic(none) }
func geluF32(_, _ *float32, _ int, _ *uint32)                                       { panic(none) }
func geluSlopeF32(_, _, _ *float32, _ int, _ *uint32)                               { panic(none) }
func finishF32(_, _, _, _ *float32, _, _, _, _ int, _ *float32, _ int, _ float32)   { panic(none) }
func finishF64(_, _, _, _ *float64, _, _, _, _ int, _ *float64, _ int, _ float64)   { panic(none) }
func largerF32(_, _, _ *float32, _ int)                                             { panic(none) }
func largerF64(_, _, _ *float64, _ int)                                             { panic(none) }
func sumAndSquaresF32(_ *float32, _ int) (_, _ float64)                             { panic(none) }
func dotAndSumF32(_, _ *float32, _ int) (_, _ float64)                              { panic(none) }
func dropoutMaskAVX2(_ *uint64, _ int, _ *philoxKeys, _ uint64, _ uint16)           { panic(none) }
func rivalF32(_, _ *float32, _ *int32, _ int, _, _ int32)                           { panic(none) }
func maxF32(_ *float32, _ int) float32                                              { panic(none) }
func normForwardF32(_, _, _, _ *float32, _ int, _, _ float32)                       { panic(none) }
func normGradientF32(_, _, _, _ *float32, _ int, _, _ float32)                      { panic(none) }
func copyRowsF32(_, _ *float32, _, _, _, _ int)                                     { panic(none) }
func evenF32(_, _ *float32, _, _, _, _ int)                                         { panic(none) }
func addEvenF32(_, _ *float32, _, _, _, _ int)                                      { panic(none) }
func deinterleaveF32(_, _, _ *float32, _, _, _ int)                                 { panic(none) }
func interleaveF32(_, _, _ *float32, _, _, _ int)                                   { panic(none) }
func rankF64(_ *float64, _ int, _, _ float64) (_ float64, _, _ int)                 { panic(none) }
func expSumsF64(_, _ *float64, _ int, _, _ float64, _ *float64) (_, _ float64)      { panic(none) }
func winogradIn(_ *float32, _ int, _ *float32, _ *int, _ int, _ *float32)           { panic(none) }
func tallF32(_, _ int, _, _, _ *float32, _ bool)                                    { panic(none) }
func fewF32(_ int, _ *float32, _ int, _ *float32, _ int, _ *float32, _ int, _ bool) { panic(none) }
func winogradExpand(_ *float32, _ int, _ *float32, _ int)                           { panic(none) }
func winogradOut(_ *float32, _ *int, _ int, _ *float32, _ int, _ *float32)          { panic(none) }
func winogradInWide(_ *float32, _ int, _ *float32, _ *int, _ int, _ *float32)       { panic(none) }
func winogradOutWide(_ *float32, _ *int, _ int, _ *float32, _ int, _ *float32)      { panic(none) }
