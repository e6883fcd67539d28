// The loops of vec_decl.go on vectors of four float32 or two float64: T is the type. Constants are in V28 to V30.

#define PRODUCT(size) OP(FMUL, size, 0, 1, 2)
#define SCALESHIFT(size) MOVE(29, 2); OP(FMLA, size, 0, 28, 2)
#define COMBINE(size) MOVE(30, 2); OP(FMLA, size, 1, 29, 2); OP(FMLA, size, 0, 28, 2)

// V0 is d, V1 is x; V28 is the slope, and V29 has ones where that is 0.
#define RECTIFY(size) MAP(FCMLE0, size, 1, 2); OP(FMUL, size, 0, 28, 3); WITHOUT(3, 29, 3); CHOOSE(3, 0, 2)

#define DOT(size, to) OP(FMLA, size, 0, 1, to)
#define SUM(size, to) OP(FADD, size, to, 0, to)
#define MAXABS(size, to) MAP(FABS, size, 0, 0); OP(FMAX, size, to, 0, to)

// func mul(dst, a, b *T, n int)
TEXT mul(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	LOOP(XY, XY1, PUT1, SHIFT, WIDTH, PRODUCT)

// func scaleShift(dst, x *T, n int, a, b T)
TEXT scaleShift(SB), NOSPLIT, $0-ARGS_24_2
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R3
	FMOV a+24(FP), F28
	FILL28
	FMOV b+ARGS_24_1(FP), F29
	FILL29
	LOOP(X, X1, PUT1, SHIFT, WIDTH, SCALESHIFT)

// func combine(dst, x, y *T, n int, a, b, c T)
TEXT combine(SB), NOSPLIT, $0-ARGS_32_3
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	MOVD n+24(FP), R3
	FMOV a+32(FP), F28
	FILL28
	FMOV b+ARGS_32_1(FP), F29
	FILL29
	FMOV c+ARGS_32_2(FP), F30
	FILL30
	LOOP(XY, XY1, PUT1, SHIFT, WIDTH, COMBINE)

// func rectify(dst, d, x *T, n int, slope T)
TEXT rectify(SB), NOSPLIT, $0-ARGS_32_1
	MOVD dst+0(FP), R0
	MOVD d+8(FP), R1
	MOVD x+16(FP), R2
	MOVD n+24(FP), R3
	FMOV slope+32(FP), F28
	FILL28
	MAP(FCMEQ0, WIDTH, 28, 29)
	LOOP(XY, XY1, PUT1, SHIFT, WIDTH, RECTIFY)

// func dot(x, y *T, n int) T
TEXT dot(SB), NOSPLIT, $0-ARGS_24_1
	MOVD x+0(FP), R1
	MOVD y+8(FP), R2
	MOVD n+16(FP), R3
	REDUCE(XY, XY1, SHIFT, WIDTH, DOT)
	ACROSS(FADD, FADDP)
	FMOV F16, ret+24(FP)
	RET

// func sum(x *T, n int) T
TEXT sum(SB), NOSPLIT, $0-ARGS_16_1
	MOVD x+0(FP), R1
	MOVD n+8(FP), R3
	REDUCE(X, X1, SHIFT, WIDTH, SUM)
	ACROSS(FADD, FADDP)
	FMOV F16, ret+16(FP)
	RET

// func maxAbs(x *T, n int) T
TEXT maxAbs(SB), NOSPLIT, $0-ARGS_16_1
	MOVD x+0(FP), R1
	MOVD n+8(FP), R3
	REDUCE(X, X1, SHIFT, WIDTH, MAXABS)
	ACROSS(FMAX, FMAXP)
	FMOV F16, ret+16(FP)
	RET
