//go:build !purego

#include "textflag.h"
#include "vec_arm64.h"

// The loops of vec_decl.go on vectors of four float32 or two float64. Constants are in V28 to V30.

#define AXPY(size) MOVE(1, 2); OP(FMLA, size, 0, 28, 2)
#define SCALE(size) OP(FMUL, size, 0, 28, 2)
#define ADDED(size) OP(FADD, size, 0, 1, 2)
#define PRODUCT(size) OP(FMUL, size, 0, 1, 2)
#define SCALESHIFT(size) MOVE(29, 2); OP(FMLA, size, 0, 28, 2)
#define COMBINE(size) MOVE(30, 2); OP(FMLA, size, 1, 29, 2); OP(FMLA, size, 0, 28, 2)

// V28 is 0. FMAX of a NaN is a NaN, and of −0 and 0 it is 0.
#define RELU(size) OP(FMAX, size, 0, 28, 2)

// V0 is d, V1 is x.
#define RELUMASK(size) MAP(POSITIVE, size, 1, 3); BOTH(0, 3, 2)

// Of max(d, −x) and max(x+d, 0) the first where x > 0.
#define RELUSHIFT(size) \
	MAP(POSITIVE, size, 1, 2); \
	OP(FADD, size, 1, 0, 3); \
	OP(FMAX, size, 3, 28, 3); \
	MAP(FNEG, size, 1, 4); \
	OP(FMAX, size, 0, 4, 4); \
	CHOOSE(4, 3, 2)

// V28 is the slope.
#define LEAKY(size) MAP(POSITIVE, size, 0, 2); OP(FMUL, size, 0, 28, 3); CHOOSE(0, 3, 2)
#define LEAKYMASK(size) MAP(POSITIVE, size, 1, 2); OP(FMUL, size, 0, 28, 3); CHOOSE(0, 3, 2)

// V5 has ones where −x ≥ d, so that x+d is not positive. Of the four cases V6 is that it never was,
// V7 that it now is, V3 that it now is not, and d itself that it is before and after.
#define LEAKYSHIFT(size) \
	MAP(POSITIVE, size, 1, 2); \
	MAP(FNEG, size, 1, 3); \
	OP(GREATEREQUAL, size, 3, 0, 5); \
	OP(FMUL, size, 0, 28, 6); \
	OP(FADD, size, 1, 0, 7); \
	OP(FMLA, size, 7, 28, 3); \
	OP(FMLS, size, 1, 28, 7); \
	MOVE(5, 4); \
	CHOOSE(3, 0, 4); \
	CHOOSE(6, 7, 5); \
	CHOOSE(4, 5, 2)

#define DOT(size, to) OP(FMLA, size, 0, 1, to)
#define SUM(size, to) OP(FADD, size, to, 0, to)
#define MAXABS(size, to) MAP(FABS, size, 0, 0); OP(FMAX, size, to, 0, to)

// func axpyF32(y, x *float32, n int, alpha float32)
TEXT ·axpyF32(SB), NOSPLIT, $0-28
	MOVD y+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	MOVD R0, R2
	FMOVS alpha+24(FP), F28
	VDUP V28.S[0], V28.S4
	LOOP(XY, XY32, PUT32, 2, SINGLE, AXPY)

// func scaleF32(x *float32, n int, alpha float32)
TEXT ·scaleF32(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD n+8(FP), R3
	MOVD R0, R1
	FMOVS alpha+16(FP), F28
	VDUP V28.S[0], V28.S4
	LOOP(X, X32, PUT32, 2, SINGLE, SCALE)

// func addF32(dst, a, b *float32, n int)
TEXT ·addF32(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY32, PUT32, 2, SINGLE, ADDED)

// func mulF32(dst, a, b *float32, n int)
TEXT ·mulF32(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY32, PUT32, 2, SINGLE, PRODUCT)

// func scaleShiftF32(dst, x *float32, n int, a, b float32)
TEXT ·scaleShiftF32(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	FMOVS a+24(FP), F28
	VDUP V28.S[0], V28.S4
	FMOVS b+28(FP), F29
	VDUP V29.S[0], V29.S4
	LOOP(X, X32, PUT32, 2, SINGLE, SCALESHIFT)

// func combineF32(dst, x, y *float32, n int, a, b, c float32)
TEXT ·combineF32(SB), NOSPLIT, $0-44
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	MOVD n+24(FP), R3
	FMOVS a+32(FP), F28
	VDUP V28.S[0], V28.S4
	FMOVS b+36(FP), F29
	VDUP V29.S[0], V29.S4
	FMOVS c+40(FP), F30
	VDUP V30.S[0], V30.S4
	LOOP(XY, XY32, PUT32, 2, SINGLE, COMBINE)

// func reluF32(dst, x *float32, n int)
TEXT ·reluF32(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	VEOR V28.B16, V28.B16, V28.B16
	LOOP(X, X32, PUT32, 2, SINGLE, RELU)

// func reluMaskF32(dst, d, x *float32, n int)
TEXT ·reluMaskF32(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY32, PUT32, 2, SINGLE, RELUMASK)

// func reluShiftF32(dst, d, x *float32, n int)
TEXT ·reluShiftF32(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	VEOR V28.B16, V28.B16, V28.B16
	LOOP(XY, XY32, PUT32, 2, SINGLE, RELUSHIFT)

// func leakyReLUF32(dst, x *float32, n int, slope float32)
TEXT ·leakyReLUF32(SB), NOSPLIT, $0-28
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	FMOVS slope+24(FP), F28
	VDUP V28.S[0], V28.S4
	LOOP(X, X32, PUT32, 2, SINGLE, LEAKY)

// func leakyReLUMaskF32(dst, d, x *float32, n int, slope float32)
TEXT ·leakyReLUMaskF32(SB), NOSPLIT, $0-36
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	FMOVS slope+32(FP), F28
	VDUP V28.S[0], V28.S4
	LOOP(XY, XY32, PUT32, 2, SINGLE, LEAKYMASK)

// func leakyReLUShiftF32(dst, d, x *float32, n int, slope float32)
TEXT ·leakyReLUShiftF32(SB), NOSPLIT, $0-36
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	FMOVS slope+32(FP), F28
	VDUP V28.S[0], V28.S4
	LOOP(XY, XY32, PUT32, 2, SINGLE, LEAKYSHIFT)

// func dotF32(x, y *float32, n int) float32
TEXT ·dotF32(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R1
	MOVD y+8(FP), R2
	MOVD n+16(FP), R3
	REDUCE(XY, XY32, 2, SINGLE, DOT)
	ACROSS(FADD, FADDP, SINGLE)
	OP(FADDP, SINGLE, 16, 16, 16)
	FMOVS F16, ret+24(FP)
	RET

// func sumF32(x *float32, n int) float32
TEXT ·sumF32(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R1
	MOVD n+8(FP), R3
	REDUCE(X, X32, 2, SINGLE, SUM)
	ACROSS(FADD, FADDP, SINGLE)
	OP(FADDP, SINGLE, 16, 16, 16)
	FMOVS F16, ret+16(FP)
	RET

// func maxAbsF32(x *float32, n int) float32
TEXT ·maxAbsF32(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R1
	MOVD n+8(FP), R3
	REDUCE(X, X32, 2, SINGLE, MAXABS)
	ACROSS(FMAX, FMAXP, SINGLE)
	OP(FMAXP, SINGLE, 16, 16, 16)
	FMOVS F16, ret+16(FP)
	RET

// func axpyF64(y, x *float64, n int, alpha float64)
TEXT ·axpyF64(SB), NOSPLIT, $0-32
	MOVD y+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	MOVD R0, R2
	FMOVD alpha+24(FP), F28
	VDUP V28.D[0], V28.D2
	LOOP(XY, XY64, PUT64, 1, DOUBLE, AXPY)

// func scaleF64(x *float64, n int, alpha float64)
TEXT ·scaleF64(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD n+8(FP), R3
	MOVD R0, R1
	FMOVD alpha+16(FP), F28
	VDUP V28.D[0], V28.D2
	LOOP(X, X64, PUT64, 1, DOUBLE, SCALE)

// func addF64(dst, a, b *float64, n int)
TEXT ·addF64(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY64, PUT64, 1, DOUBLE, ADDED)

// func mulF64(dst, a, b *float64, n int)
TEXT ·mulF64(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY64, PUT64, 1, DOUBLE, PRODUCT)

// func scaleShiftF64(dst, x *float64, n int, a, b float64)
TEXT ·scaleShiftF64(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	FMOVD a+24(FP), F28
	VDUP V28.D[0], V28.D2
	FMOVD b+32(FP), F29
	VDUP V29.D[0], V29.D2
	LOOP(X, X64, PUT64, 1, DOUBLE, SCALESHIFT)

// func combineF64(dst, x, y *float64, n int, a, b, c float64)
TEXT ·combineF64(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	MOVD n+24(FP), R3
	FMOVD a+32(FP), F28
	VDUP V28.D[0], V28.D2
	FMOVD b+40(FP), F29
	VDUP V29.D[0], V29.D2
	FMOVD c+48(FP), F30
	VDUP V30.D[0], V30.D2
	LOOP(XY, XY64, PUT64, 1, DOUBLE, COMBINE)

// func reluF64(dst, x *float64, n int)
TEXT ·reluF64(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	VEOR V28.B16, V28.B16, V28.B16
	LOOP(X, X64, PUT64, 1, DOUBLE, RELU)

// func reluMaskF64(dst, d, x *float64, n int)
TEXT ·reluMaskF64(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY64, PUT64, 1, DOUBLE, RELUMASK)

// func reluShiftF64(dst, d, x *float64, n int)
TEXT ·reluShiftF64(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	VEOR V28.B16, V28.B16, V28.B16
	LOOP(XY, XY64, PUT64, 1, DOUBLE, RELUSHIFT)

// func leakyReLUF64(dst, x *float64, n int, slope float64)
TEXT ·leakyReLUF64(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	FMOVD slope+24(FP), F28
	VDUP V28.D[0], V28.D2
	LOOP(X, X64, PUT64, 1, DOUBLE, LEAKY)

// func leakyReLUMaskF64(dst, d, x *float64, n int, slope float64)
TEXT ·leakyReLUMaskF64(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	FMOVD slope+32(FP), F28
	VDUP V28.D[0], V28.D2
	LOOP(XY, XY64, PUT64, 1, DOUBLE, LEAKYMASK)

// func leakyReLUShiftF64(dst, d, x *float64, n int, slope float64)
TEXT ·leakyReLUShiftF64(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	FMOVD slope+32(FP), F28
	VDUP V28.D[0], V28.D2
	LOOP(XY, XY64, PUT64, 1, DOUBLE, LEAKYSHIFT)

// func dotF64(x, y *float64, n int) float64
TEXT ·dotF64(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R1
	MOVD y+8(FP), R2
	MOVD n+16(FP), R3
	REDUCE(XY, XY64, 1, DOUBLE, DOT)
	ACROSS(FADD, FADDP, DOUBLE)
	FMOVD F16, ret+24(FP)
	RET

// func sumF64(x *float64, n int) float64
TEXT ·sumF64(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R1
	MOVD n+8(FP), R3
	REDUCE(X, X64, 1, DOUBLE, SUM)
	ACROSS(FADD, FADDP, DOUBLE)
	FMOVD F16, ret+16(FP)
	RET

// func maxAbsF64(x *float64, n int) float64
TEXT ·maxAbsF64(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R1
	MOVD n+8(FP), R3
	REDUCE(X, X64, 1, DOUBLE, MAXABS)
	ACROSS(FMAX, FMAXP, DOUBLE)
	FMOVD F16, ret+16(FP)
	RET
