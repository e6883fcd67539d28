//go:build !purego

#include "textflag.h"
#include "vec_f32_amd64.h"
#include "vec_moments_amd64.h"

// Normalised rows of float32. Y14, Y13 and Y12 hold the row's numbers.

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

#define TANGENT(LOAD, STORE, off, a, b, c, d) \
	LOAD(off(SI)(AX*4), a) \
	VFMADD213PS Y12, Y13, a \
	LOAD(off(BX)(AX*4), b) \
	VFMADD231PS b, Y14, a \
	LOAD(off(R9)(AX*4), b) \
	VMULPS b, a, a \
	STORE(a, off(DI)(AX*4))

// func normTangentF32(dst, d, x, scale *float32, n int, p, q, r float32)
TEXT ·normTangentF32(SB), NOSPLIT, $0-52
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ scale+24(FP), R9
	MOVQ n+32(FP), CX
	VBROADCASTSS p+40(FP), Y14
	VBROADCASTSS q+44(FP), Y13
	VBROADCASTSS r+48(FP), Y12
	PAIRS(TANGENT)
	VZEROUPPER
	RET

#define COTANGENT(LOAD, STORE, off, a, b, c, d) \
	LOAD(off(SI)(AX*4), a) \
	VFMADD213PS Y12, Y13, a \
	LOAD(off(BX)(AX*4), b) \
	LOAD(off(R9)(AX*4), c) \
	VMULPS c, b, b \
	VFMADD231PS b, Y14, a \
	STORE(a, off(DI)(AX*4))

// func normCotangentF32(dst, d, x, scale *float32, n int, p, q, r float32)
TEXT ·normCotangentF32(SB), NOSPLIT, $0-52
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ scale+24(FP), R9
	MOVQ n+32(FP), CX
	VBROADCASTSS p+40(FP), Y14
	VBROADCASTSS q+44(FP), Y13
	VBROADCASTSS r+48(FP), Y12
	PAIRS(COTANGENT)
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

// TERMS adds Σ scale·d and Σ scale·d·x.
#define TERMS(LOAD, off, s, q) \
	LOAD(off(DI)(AX*4), X8) \
	LOAD(off(BX)(AX*4), X9) \
	LOAD(off(SI)(AX*4), X10) \
	VMULPS X9, X8, X8 \
	VCVTPS2PD X8, Y8 \
	VCVTPS2PD X10, Y10 \
	VADDPD Y8, s, s \
	VFMADD231PD Y10, Y8, q

#define LAST32(from, reg) VMASKMOVPS from, X15, reg
#define WHOLETERMS(off, s, q) TERMS(WHOLE_LOAD, off, s, q)
#define LASTTERMS TERMS(LAST32, 0, Y1, Y5)

// func normSumsF32(d, x, scale *float32, n int) (sum, dot float64)
TEXT ·normSumsF32(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ scale+16(FP), BX
	MOVQ n+24(FP), CX
	SUMS(WHOLETERMS, LASTTERMS)
	MOVSD X0, sum+32(FP)
	MOVSD X4, dot+40(FP)
	RET
