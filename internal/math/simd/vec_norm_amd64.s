//go:build !purego

#include "textflag.h"
#include "vec_f32_amd64.h"

// Normalised rows of float32. Y14 and Y13 hold the row's numbers.

#define FORWARD(LOAD, STORE, off, a, b, c, d) \
	LOAD(off(SI)(AX*4), a) \
	VSUBPS Y13, a, a \
	VMULPS Y14, a, a \
	LOAD(off(BX)(AX*4), b) \
	LOAD(off(R9)(AX*4), c) \
	VFMADD213PS c, b, a \
	STORE(a, off(DI)(AX*4))

// func normForwardF32(dst, x, scale, shift *float32, n int, mean, invStd float32)
TEXT ·normForwardF32(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ scale+16(FP), BX
	MOVQ shift+24(FP), R9
	MOVQ n+32(FP), CX
	VBROADCASTSS mean+40(FP), Y13
	VBROADCASTSS invStd+44(FP), Y14
	PAIRS(FORWARD)
	VZEROUPPER
	RET

// DI is the gradient of the scale, R9 that of the shift.
#define GRADIENT(LOAD, STORE, off, a, b, c, d) \
	LOAD(off(SI)(AX*4), a) \
	VSUBPS Y13, a, a \
	VMULPS Y14, a, a \
	LOAD(off(BX)(AX*4), b) \
	LOAD(off(DI)(AX*4), c) \
	VFMADD231PS a, b, c \
	STORE(c, off(DI)(AX*4)) \
	LOAD(off(R9)(AX*4), c) \
	VADDPS b, c, c \
	STORE(c, off(R9)(AX*4))

// func normGradientF32(scale, shift, d, x *float32, n int, mean, invStd float32)
TEXT ·normGradientF32(SB), NOSPLIT, $0-48
	MOVQ scale+0(FP), DI
	MOVQ shift+8(FP), R9
	MOVQ d+16(FP), BX
	MOVQ x+24(FP), SI
	MOVQ n+32(FP), CX
	VBROADCASTSS mean+40(FP), Y13
	VBROADCASTSS invStd+44(FP), Y14
	PAIRS(GRADIENT)
	VZEROUPPER
	RET
