//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// The transcendental functions of float32. R9 is expLanes. Y12 is one, Y13 and Y14 are
// limits. NaN runs through: minima and maxima keep their last operand then, which is
// the first written.

#define LOG2E 0(R9)
#define LN2HI 32(R9)
#define LN2LO 64(R9)
#define BIAS 96(R9)
#define E6 128(R9)
#define E5 160(R9)
#define E4 192(R9)
#define E3 224(R9)
#define E2 256(R9)
#define ONE 288(R9)
#define SIGN 320(R9)
#define MAGNITUDE 352(R9)
#define T4 384(R9)
#define T3 416(R9)
#define T2 448(R9)
#define T1 480(R9)
#define T0 512(R9)
#define TSMALL 544(R9)
#define FOUR 576(R9)
#define MINUSHALF 608(R9)
#define MINUSONE 640(R9)
#define R10C 672(R9)
#define R9C 704(R9)
#define R8C 736(R9)
#define R7C 768(R9)
#define R6C 800(R9)
#define R5C 832(R9)
#define R4C 864(R9)
#define R3C 896(R9)
#define R2C 928(R9)
#define R1C 960(R9)
#define R0C 992(R9)
#define NORMALK 1024(R9)
#define ERFK 1056(R9)
#define F5 1088(R9)
#define F4 1120(R9)
#define F3 1152(R9)
#define F2 1184(R9)
#define F1 1216(R9)
#define F0 1248(R9)
#define FSMALL 1280(R9)
#define ROOT2 1312(R9)
#define ERFSCALE 1344(R9)
#define NORMALSCALE 1376(R9)
#define EXPMOST 1408(R9)
#define EXPLEAST 1440(R9)
#define NORMALMOST 1472(R9)
#define ERFMOST 1504(R9)
#define TWO 1536(R9)
#define L6 1568(R9)
#define L5 1600(R9)
#define L4 1632(R9)
#define L3 1664(R9)
#define L2 1696(R9)
#define L1 1728(R9)

// REDUCE: Y0 = x becomes r = x − n·log 2, with Y1 = n whole, |r| ≤ ½·log 2.
#define REDUCE \
	VMULPS LOG2E, Y0, Y1 \
	VROUNDPS $0, Y1, Y1 \
	VFNMADD231PS LN2HI, Y1, Y0 \
	VFNMADD231PS LN2LO, Y1, Y0

// POWER: Y3 = e^r, of Y0 = r; Y1 and Y2 become two factors with product 2ⁿ, of which
// the product with Y3 under- and overflows only where it must.
#define POWER \
	VMOVUPS E6, Y3 \
	VCVTPS2DQ Y1, Y1 \
	VFMADD213PS E5, Y0, Y3 \
	VPSRAD $1, Y1, Y2 \
	VFMADD213PS E4, Y0, Y3 \
	VPSUBD Y2, Y1, Y1 \
	VFMADD213PS E3, Y0, Y3 \
	VPADDD BIAS, Y1, Y1 \
	VPADDD BIAS, Y2, Y2 \
	VFMADD213PS E2, Y0, Y3 \
	VPSLLD $23, Y1, Y1 \
	VPSLLD $23, Y2, Y2 \
	VFMADD213PS Y12, Y0, Y3 \
	VFMADD213PS Y12, Y0, Y3

#define RAISE(reg) \
	VMULPS Y1, reg, reg \
	VMULPS Y2, reg, reg

// EXPONENTIAL: Y3 = e^Y0.
#define EXPONENTIAL \
	VMINPS Y0, Y13, Y0 \
	VMAXPS Y0, Y14, Y0 \
	REDUCE \
	POWER \
	RAISE(Y3)

// DECAY: Y3 = e^−|Y0|.
#define DECAY \
	VORPS SIGN, Y0, Y0 \
	VMAXPS Y0, Y14, Y0 \
	REDUCE \
	POWER \
	RAISE(Y3)

#define CONSTANTS \
	VMOVUPS ONE, Y12 \
	VMOVUPS EXPMOST, Y13 \
	VMOVUPS EXPLEAST, Y14

#define EXP(LOAD, STORE) \
	LOAD((SI)(AX*4), Y0) \
	EXPONENTIAL \
	STORE(Y3, (DI)(AX*4))

// func expF32(dst, x *float32, n int, lanes *uint32)
TEXT ·expF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	CONSTANTS
	SINGLES32(EXP)
	VZEROUPPER
	RET

// Y15, the mask, is all lanes until the rest. Y11 is the shift, Y10 the sums.
#define EXPSUM(LOAD, STORE) \
	LOAD((SI)(AX*4), Y0) \
	VSUBPS Y11, Y0, Y0 \
	EXPONENTIAL \
	STORE(Y3, (DI)(AX*4)) \
	VANDPS Y15, Y3, Y3 \
	VADDPS Y3, Y10, Y10

// func expSumF32(dst, x *float32, n int, lanes *uint32, shift float32) float32
TEXT ·expSumF32(SB), NOSPLIT, $0-44
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	VBROADCASTSS shift+32(FP), Y11
	CONSTANTS
	VXORPS Y10, Y10, Y10
	VPCMPEQD Y15, Y15, Y15
	SINGLES32(EXPSUM)
	VEXTRACTF128 $1, Y10, X0
	VADDPS X0, X10, X0
	VPERMILPS $0x4E, X0, X1
	VADDPS X1, X0, X0
	VPERMILPS $0xB1, X0, X1
	VADDPS X1, X0, X0
	VMOVSS X0, ret+40(FP)
	VZEROUPPER
	RET

// 1/(1 + e) where x ≥ 0, e/(1 + e) where it has a sign, e = e^−|x|.
#define SIGMOID(LOAD, STORE) \
	LOAD((SI)(AX*4), Y0) \
	VMOVAPS Y0, Y4 \
	DECAY \
	VADDPS Y12, Y3, Y5 \
	VBLENDVPS Y4, Y3, Y12, Y6 \
	VDIVPS Y5, Y6, Y6 \
	STORE(Y6, (DI)(AX*4))

// func sigmoidF32(dst, x *float32, n int, lanes *uint32)
TEXT ·sigmoidF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	CONSTANTS
	SINGLES32(SIGMOID)
	VZEROUPPER
	RET

// BELL: Y3 = e/(1 + e)² of Y3 = e.
#define BELL \
	VADDPS Y12, Y3, Y5 \
	VMULPS Y5, Y5, Y5 \
	VDIVPS Y5, Y3, Y3

#define SIGMOIDSLOPE(LOAD, STORE) \
	LOAD((SI)(AX*4), Y0) \
	DECAY \
	BELL \
	LOAD((BX)(AX*4), Y4) \
	VMULPS Y4, Y3, Y3 \
	STORE(Y3, (DI)(AX*4))

// func sigmoidSlopeF32(dst, d, x *float32, n int, lanes *uint32)
TEXT ·sigmoidSlopeF32(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ lanes+32(FP), R9
	CONSTANTS
	SINGLES32(SIGMOIDSLOPE)
	VZEROUPPER
	RET

// (1 − e)/(1 + e), e = e^−2|x|, with the sign of x, and near 0 a polynomial.
#define TANH(LOAD, STORE) \
	LOAD((SI)(AX*4), Y4) \
	VADDPS Y4, Y4, Y0 \
	DECAY \
	VSUBPS Y3, Y12, Y6 \
	VADDPS Y12, Y3, Y5 \
	VDIVPS Y5, Y6, Y6 \
	VMULPS Y4, Y4, Y7 \
	VMOVUPS T4, Y8 \
	VFMADD213PS T3, Y7, Y8 \
	VFMADD213PS T2, Y7, Y8 \
	VFMADD213PS T1, Y7, Y8 \
	VFMADD213PS T0, Y7, Y8 \
	VMULPS Y7, Y8, Y8 \
	VFMADD213PS Y4, Y4, Y8 \
	VANDPS MAGNITUDE, Y4, Y7 \
	VCMPPS $1, TSMALL, Y7, Y7 \
	VBLENDVPS Y7, Y8, Y6, Y6 \
	VANDPS SIGN, Y4, Y4 \
	VORPS Y4, Y6, Y6 \
	STORE(Y6, (DI)(AX*4))

// func tanhF32(dst, x *float32, n int, lanes *uint32)
TEXT ·tanhF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	CONSTANTS
	SINGLES32(TANH)
	VZEROUPPER
	RET

#define TANHSLOPE(LOAD, STORE) \
	LOAD((SI)(AX*4), Y0) \
	VADDPS Y0, Y0, Y0 \
	DECAY \
	BELL \
	LOAD((BX)(AX*4), Y4) \
	VMULPS FOUR, Y3, Y3 \
	VMULPS Y4, Y3, Y3 \
	STORE(Y3, (DI)(AX*4))

// func tanhSlopeF32(dst, d, x *float32, n int, lanes *uint32)
TEXT ·tanhSlopeF32(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ lanes+32(FP), R9
	CONSTANTS
	SINGLES32(TANHSLOPE)
	VZEROUPPER
	RET

// max(x, 0) + s·(2 + 2/3·s² + …), s = e/(2 + e), e = e^−|x|.
#define SOFTPLUS(LOAD, STORE) \
	LOAD((SI)(AX*4), Y0) \
	VXORPS Y4, Y4, Y4 \
	VMAXPS Y0, Y4, Y4 \
	DECAY \
	VADDPS TWO, Y3, Y5 \
	VDIVPS Y5, Y3, Y3 \
	VMULPS Y3, Y3, Y5 \
	VMOVUPS L6, Y6 \
	VFMADD213PS L5, Y5, Y6 \
	VFMADD213PS L4, Y5, Y6 \
	VFMADD213PS L3, Y5, Y6 \
	VFMADD213PS L2, Y5, Y6 \
	VFMADD213PS L1, Y5, Y6 \
	VFMADD213PS TWO, Y5, Y6 \
	VFMADD213PS Y4, Y3, Y6 \
	STORE(Y6, (DI)(AX*4))

// func softplusF32(dst, x *float32, n int, lanes *uint32)
TEXT ·softplusF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	CONSTANTS
	SINGLES32(SOFTPLUS)
	VZEROUPPER
	RET

// GAUSS: Y3·Y1·Y2 = e^(factor·x²) of Y4 = x; Y5 = |x|, at most Y13. What x² loses in
// rounding is added to the reduced exponent.
#define GAUSS(factor) \
	VANDPS MAGNITUDE, Y4, Y5 \
	VMINPS Y5, Y13, Y5 \
	VMULPS Y5, Y5, Y6 \
	VMOVAPS Y5, Y7 \
	VFMSUB213PS Y6, Y5, Y7 \
	VMULPS factor, Y6, Y0 \
	REDUCE \
	VFMADD231PS factor, Y7, Y0 \
	POWER

// TAIL: Y7 = ½·erfc(Y5/√2), with NORMALK, given GAUSS; with ERFK, erfc(Y5)/√8. It
// changes Y5.
#define TAIL(k) \
	VSUBPS k, Y5, Y6 \
	VADDPS k, Y5, Y7 \
	VDIVPS Y7, Y12, Y5 \
	VMULPS Y5, Y6, Y6 \
	VMULPS Y3, Y5, Y5 \
	VMOVUPS R10C, Y7 \
	VFMADD213PS R9C, Y6, Y7 \
	VFMADD213PS R8C, Y6, Y7 \
	VFMADD213PS R7C, Y6, Y7 \
	VFMADD213PS R6C, Y6, Y7 \
	VFMADD213PS R5C, Y6, Y7 \
	VFMADD213PS R4C, Y6, Y7 \
	VFMADD213PS R3C, Y6, Y7 \
	VFMADD213PS R2C, Y6, Y7 \
	VFMADD213PS R1C, Y6, Y7 \
	VFMADD213PS R0C, Y6, Y7 \
	VMULPS Y5, Y7, Y7 \
	RAISE(Y7)

// 1 − erfc |x| with the sign of x, and near 0 a polynomial.
#define ERF(LOAD, STORE) \
	LOAD((SI)(AX*4), Y4) \
	GAUSS(MINUSONE) \
	TAIL(ERFK) \
	VMOVAPS Y12, Y6 \
	VFNMADD231PS ROOT2, Y7, Y6 \
	VMULPS Y4, Y4, Y7 \
	VMOVUPS F5, Y8 \
	VFMADD213PS F4, Y7, Y8 \
	VFMADD213PS F3, Y7, Y8 \
	VFMADD213PS F2, Y7, Y8 \
	VFMADD213PS F1, Y7, Y8 \
	VFMADD213PS F0, Y7, Y8 \
	VMULPS Y4, Y8, Y8 \
	VANDPS MAGNITUDE, Y4, Y7 \
	VCMPPS $1, FSMALL, Y7, Y7 \
	VBLENDVPS Y7, Y8, Y6, Y6 \
	VANDPS SIGN, Y4, Y4 \
	VORPS Y4, Y6, Y6 \
	STORE(Y6, (DI)(AX*4))

// func erfF32(dst, x *float32, n int, lanes *uint32)
TEXT ·erfF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	VMOVUPS ONE, Y12
	VMOVUPS ERFMOST, Y13
	SINGLES32(ERF)
	VZEROUPPER
	RET

#define ERFSLOPE(LOAD, STORE) \
	LOAD((SI)(AX*4), Y4) \
	GAUSS(MINUSONE) \
	LOAD((BX)(AX*4), Y4) \
	VMULPS ERFSCALE, Y3, Y3 \
	RAISE(Y3) \
	VMULPS Y4, Y3, Y3 \
	STORE(Y3, (DI)(AX*4))

// func erfSlopeF32(dst, d, x *float32, n int, lanes *uint32)
TEXT ·erfSlopeF32(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ lanes+32(FP), R9
	VMOVUPS ONE, Y12
	VMOVUPS ERFMOST, Y13
	SINGLES32(ERFSLOPE)
	VZEROUPPER
	RET

// PHI: Y7 = Φ(x), the tail where x has a sign and 1 less the tail elsewhere;
// Y9 = |x|, at most Y13.
#define PHI \
	GAUSS(MINUSHALF) \
	VMOVAPS Y5, Y9 \
	TAIL(NORMALK) \
	VSUBPS Y7, Y12, Y8 \
	VBLENDVPS Y4, Y7, Y8, Y7

#define GELU(LOAD, STORE) \
	LOAD((SI)(AX*4), Y4) \
	PHI \
	VMULPS Y4, Y7, Y7 \
	STORE(Y7, (DI)(AX*4))

// func geluF32(dst, x *float32, n int, lanes *uint32)
TEXT ·geluF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ lanes+24(FP), R9
	VMOVUPS ONE, Y12
	VMOVUPS NORMALMOST, Y13
	SINGLES32(GELU)
	VZEROUPPER
	RET

// Φ + x·φ, where x is ±Y9, which is finite.
#define GELUSLOPE(LOAD, STORE) \
	LOAD((SI)(AX*4), Y4) \
	PHI \
	VANDPS SIGN, Y4, Y4 \
	VORPS Y4, Y9, Y9 \
	VMULPS NORMALSCALE, Y3, Y3 \
	RAISE(Y3) \
	VFMADD231PS Y3, Y9, Y7 \
	LOAD((BX)(AX*4), Y4) \
	VMULPS Y4, Y7, Y7 \
	STORE(Y7, (DI)(AX*4))

// func geluSlopeF32(dst, d, x *float32, n int, lanes *uint32)
TEXT ·geluSlopeF32(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ lanes+32(FP), R9
	VMOVUPS ONE, Y12
	VMOVUPS NORMALMOST, Y13
	SINGLES32(GELUSLOPE)
	VZEROUPPER
	RET
