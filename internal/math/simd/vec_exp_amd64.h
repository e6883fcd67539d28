// The transcendental functions of float32. The file that includes this says what V0 to V15 are,
// registers of AVX2 or of AVX-512, and how they are blended. R9 is expLanes. V12 is one, V13 and V14 are
// limits. NaN runs through: minima and maxima keep their last operand then, which is
// the first written.

#define LOG2E 0(R9)
#define LN2HI 64(R9)
#define LN2LO 128(R9)
#define BIAS 192(R9)
#define E6 256(R9)
#define E5 320(R9)
#define E4 384(R9)
#define E3 448(R9)
#define E2 512(R9)
#define ONE 576(R9)
#define SIGN 640(R9)
#define MAGNITUDE 704(R9)
#define MINUSHALF 768(R9)
#define R10C 832(R9)
#define R9C 896(R9)
#define R8C 960(R9)
#define R7C 1024(R9)
#define R6C 1088(R9)
#define R5C 1152(R9)
#define R4C 1216(R9)
#define R3C 1280(R9)
#define R2C 1344(R9)
#define R1C 1408(R9)
#define R0C 1472(R9)
#define NORMALK 1536(R9)
#define NORMALSCALE 1600(R9)
#define EXPMOST 1664(R9)
#define EXPLEAST 1728(R9)
#define NORMALMOST 1792(R9)

// REDUCE: V0 = x becomes r = x − n·log 2, with V1 = n whole, |r| ≤ ½·log 2.
#define REDUCE \
	VMULPS LOG2E, V0, V1 \
	NEAREST(V1) \
	VFNMADD231PS LN2HI, V1, V0 \
	VFNMADD231PS LN2LO, V1, V0

// POWER: V3 = e^r, of V0 = r; V1 and V2 become two factors with product 2ⁿ, of which
// the product with V3 under- and overflows only where it must.
#define POWER \
	VMOVUPS E6, V3 \
	VCVTPS2DQ V1, V1 \
	VFMADD213PS E5, V0, V3 \
	VPSRAD $1, V1, V2 \
	VFMADD213PS E4, V0, V3 \
	VPSUBD V2, V1, V1 \
	VFMADD213PS E3, V0, V3 \
	VPADDD BIAS, V1, V1 \
	VPADDD BIAS, V2, V2 \
	VFMADD213PS E2, V0, V3 \
	VPSLLD $23, V1, V1 \
	VPSLLD $23, V2, V2 \
	VFMADD213PS V12, V0, V3 \
	VFMADD213PS V12, V0, V3

#define RAISE(reg) \
	VMULPS V1, reg, reg \
	VMULPS V2, reg, reg

// EXPONENTIAL: V3 = e^V0.
#define EXPONENTIAL \
	VMINPS V0, V13, V0 \
	VMAXPS V0, V14, V0 \
	REDUCE \
	POWER \
	RAISE(V3)

// DECAY: V3 = e^−|V0|.
#define DECAY \
	VORPS SIGN, V0, V0 \
	VMAXPS V0, V14, V0 \
	REDUCE \
	POWER \
	RAISE(V3)

// VALUE and SLOPE read the arguments of a function, and of a function that is multiplied by d.
#define VALUE \
	MOVQ dst+0(FP), DI \
	MOVQ x+8(FP), SI \
	MOVQ n+16(FP), CX \
	MOVQ lanes+24(FP), R9

#define SLOPE \
	MOVQ dst+0(FP), DI \
	MOVQ d+8(FP), BX \
	MOVQ x+16(FP), SI \
	MOVQ n+24(FP), CX \
	MOVQ lanes+32(FP), R9

#define CONSTANTS \
	VMOVUPS ONE, V12 \
	VMOVUPS EXPMOST, V13 \
	VMOVUPS EXPLEAST, V14

#define EXP(LOAD, STORE) \
	LOAD((SI)(AX*4), V0) \
	EXPONENTIAL \
	STORE(V3, (DI)(AX*4))

// func expF32(dst, x *float32, n int, lanes *uint32)
TEXT EXPF32(SB), NOSPLIT, $0-32
	BEGIN(·expWideF32)
	VALUE
	CONSTANTS
	SINGLES(EXP)
	VZEROUPPER
	RET

// TOTAL: X0 is the sum of the eight lanes of Y10.
#define TOTAL \
	VEXTRACTF128 $1, Y10, X0 \
	VADDPS X0, X10, X0 \
	VPERMILPS $0x4E, X0, X1 \
	VADDPS X1, X0, X0 \
	VPERMILPS $0xB1, X0, X1 \
	VADDPS X1, X0, X0

// V15, the mask, is all lanes until the rest. V11 is the shift, V10 the sums.
#define EXPSUM(LOAD, STORE) \
	LOAD((SI)(AX*4), V0) \
	VSUBPS V11, V0, V0 \
	EXPONENTIAL \
	STORE(V3, (DI)(AX*4)) \
	MASKED(V3) \
	ADDUP

// func expSumF32(dst, x *float32, n int, lanes *uint32, shift float32) float32
TEXT EXPSUMF32(SB), NOSPLIT, $0-44
	BEGIN(·expSumWideF32)
	VALUE
	VBROADCASTSS shift+32(FP), V11
	CONSTANTS
	ZERO(V10)
	ALL
	SINGLES(EXPSUM)
	TOTAL
	VMOVSS X0, ret+40(FP)
	VZEROUPPER
	RET

// 1/(1 + e) where x ≥ 0, e/(1 + e) where it has a sign, e = e^−|x|.
#define SIGMOID(LOAD, STORE) \
	LOAD((SI)(AX*4), V0) \
	VMOVAPS V0, V4 \
	DECAY \
	VADDPS V12, V3, V5 \
	SIGNED(V4, V3, V12, V6) \
	VDIVPS V5, V6, V6 \
	STORE(V6, (DI)(AX*4))

// func sigmoidF32(dst, x *float32, n int, lanes *uint32)
TEXT SIGMOIDF32(SB), NOSPLIT, $0-32
	BEGIN(·sigmoidWideF32)
	VALUE
	CONSTANTS
	SINGLES(SIGMOID)
	VZEROUPPER
	RET

// BELL: V3 = e/(1 + e)² of V3 = e.
#define BELL \
	VADDPS V12, V3, V5 \
	VMULPS V5, V5, V5 \
	VDIVPS V5, V3, V3

#define SIGMOIDSLOPE(LOAD, STORE) \
	LOAD((SI)(AX*4), V0) \
	DECAY \
	BELL \
	LOAD((BX)(AX*4), V4) \
	VMULPS V4, V3, V3 \
	STORE(V3, (DI)(AX*4))

// func sigmoidSlopeF32(dst, d, x *float32, n int, lanes *uint32)
TEXT SIGMOIDSLOPEF32(SB), NOSPLIT, $0-40
	BEGIN(·sigmoidSlopeWideF32)
	SLOPE
	CONSTANTS
	SINGLES(SIGMOIDSLOPE)
	VZEROUPPER
	RET

// GAUSS: V3·V1·V2 = e^(−x²/2) of V4 = x; V5 = |x|, at most V13. What x² loses in
// rounding is added to the reduced exponent.
#define GAUSS \
	VANDPS MAGNITUDE, V4, V5 \
	VMINPS V5, V13, V5 \
	VMULPS V5, V5, V6 \
	VMOVAPS V5, V7 \
	VFMSUB213PS V6, V5, V7 \
	VMULPS MINUSHALF, V6, V0 \
	REDUCE \
	VFMADD231PS MINUSHALF, V7, V0 \
	POWER

// TAIL: V7 = ½·erfc(V5/√2), given GAUSS. It changes V5.
#define TAIL \
	VSUBPS NORMALK, V5, V6 \
	VADDPS NORMALK, V5, V7 \
	VDIVPS V7, V12, V5 \
	VMULPS V5, V6, V6 \
	VMULPS V3, V5, V5 \
	VMOVUPS R10C, V7 \
	VFMADD213PS R9C, V6, V7 \
	VFMADD213PS R8C, V6, V7 \
	VFMADD213PS R7C, V6, V7 \
	VFMADD213PS R6C, V6, V7 \
	VFMADD213PS R5C, V6, V7 \
	VFMADD213PS R4C, V6, V7 \
	VFMADD213PS R3C, V6, V7 \
	VFMADD213PS R2C, V6, V7 \
	VFMADD213PS R1C, V6, V7 \
	VFMADD213PS R0C, V6, V7 \
	VMULPS V5, V7, V7 \
	RAISE(V7)

// PHI: V7 = Φ(x), the tail where x has a sign and 1 less the tail elsewhere;
// V9 = |x|, at most V13.
#define PHI \
	GAUSS \
	VMOVAPS V5, V9 \
	TAIL \
	VSUBPS V7, V12, V8 \
	SIGNED(V4, V7, V8, V7)

#define GELU(LOAD, STORE) \
	LOAD((SI)(AX*4), V4) \
	PHI \
	VMULPS V4, V7, V7 \
	STORE(V7, (DI)(AX*4))

// func geluF32(dst, x *float32, n int, lanes *uint32)
TEXT GELUF32(SB), NOSPLIT, $0-32
	BEGIN(·geluWideF32)
	VALUE
	VMOVUPS ONE, V12
	VMOVUPS NORMALMOST, V13
	SINGLES(GELU)
	VZEROUPPER
	RET

// Φ + x·φ, where x is ±V9, which is finite.
#define GELUSLOPE(LOAD, STORE) \
	LOAD((SI)(AX*4), V4) \
	PHI \
	VANDPS SIGN, V4, V4 \
	VORPS V4, V9, V9 \
	VMULPS NORMALSCALE, V3, V3 \
	RAISE(V3) \
	VFMADD231PS V3, V9, V7 \
	LOAD((BX)(AX*4), V4) \
	VMULPS V4, V7, V7 \
	STORE(V7, (DI)(AX*4))

// func geluSlopeF32(dst, d, x *float32, n int, lanes *uint32)
TEXT GELUSLOPEF32(SB), NOSPLIT, $0-40
	BEGIN(·geluSlopeWideF32)
	SLOPE
	VMOVUPS ONE, V12
	VMOVUPS NORMALMOST, V13
	SINGLES(GELUSLOPE)
	VZEROUPPER
	RET
