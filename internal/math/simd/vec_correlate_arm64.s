//go:build !purego

#include "textflag.h"
#include "vec_arm64.h"

// Correlations of lines of 64 bytes, four registers each: see Correlate. Steps and offsets are in
// bytes here. The sums of a block of four lines are V0 to V15, the weights of a tap V16 to V19.
//
//	R0, R1  destination and source of the block   R2, R3  from one to the next
//	R4, R5  offsets and weights                   R8, R9  the same at the tap
//	R6      taps                                  R10     taps left
//	R7      blocks left                           R11     source at the tap
//	R12     the bias that sums begin with

#define BIAS(a, b, c, d) VLD1 (R12), [a.B16, b.B16, c.B16, d.B16]

// LINE adds a line times the weights to the four sums from register d on.
#define LINE(size, d) \
	VLD1 (R11), [V20.B16, V21.B16, V22.B16, V23.B16] \
	ADD R3, R11 \
	OP(FMLA, size, 20, 16, d) \
	OP(FMLA, size, 21, 17, d+1) \
	OP(FMLA, size, 22, 18, d+2) \
	OP(FMLA, size, 23, 19, d+3)

#define STORE(a, b, c, d) \
	VST1 [a.B16, b.B16, c.B16, d.B16], (R0) \
	ADD R2, R0

#define BEGIN \
	MOVD R4, R8 \
	MOVD R5, R9 \
	MOVD R6, R10

#define NEXT(shift) \
	MOVD.P 8(R8), R11 \
	ADD R11<<shift, R1, R11 \
	VLD1.P 64(R9), [V16.B16, V17.B16, V18.B16, V19.B16]

#define CORRELATE(shift, size) \
	MOVD dst+0(FP), R0 \
	MOVD dstStep+8(FP), R2 \
	MOVD src+16(FP), R1 \
	MOVD srcStep+24(FP), R3 \
	MOVD offsets+32(FP), R4 \
	MOVD w+40(FP), R5 \
	MOVD taps+48(FP), R6 \
	MOVD block+56(FP), R8 \
	MOVD blocks+64(FP), R7 \
	MOVD bias+72(FP), R12 \
	LSL $shift, R2 \
	LSL $shift, R3 \
	CMP $4, R8 \
	BLT one \
four: \
	BIAS(V0, V1, V2, V3) \
	BIAS(V4, V5, V6, V7) \
	BIAS(V8, V9, V10, V11) \
	BIAS(V12, V13, V14, V15) \
	BEGIN \
fourTap: \
	NEXT(shift) \
	LINE(size, 0) \
	LINE(size, 4) \
	LINE(size, 8) \
	LINE(size, 12) \
	SUBS $1, R10 \
	BNE fourTap \
	STORE(V0, V1, V2, V3) \
	STORE(V4, V5, V6, V7) \
	STORE(V8, V9, V10, V11) \
	STORE(V12, V13, V14, V15) \
	ADD R3<<2, R1 \
	SUBS $1, R7 \
	BNE four \
	RET \
one: \
	BIAS(V0, V1, V2, V3) \
	BEGIN \
oneTap: \
	NEXT(shift) \
	LINE(size, 0) \
	SUBS $1, R10 \
	BNE oneTap \
	STORE(V0, V1, V2, V3) \
	ADD R3, R1 \
	SUBS $1, R7 \
	BNE one \
	RET

// func correlateF32(dst *float32, dstStep int, src *float32, srcStep int, offsets *int, w *float32, taps, block, blocks int, bias *float32)
TEXT ·correlateF32(SB), NOSPLIT, $0-80
	CORRELATE(2, SINGLE)

// func correlateF64(dst *float64, dstStep int, src *float64, srcStep int, offsets *int, w *float64, taps, block, blocks int, bias *float64)
TEXT ·correlateF64(SB), NOSPLIT, $0-80
	CORRELATE(3, DOUBLE)
