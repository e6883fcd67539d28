//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "vec_arm64.h"

// One step of Adam: V0 = w, V1 = g, V2 = m, V3 = v, the coefficients in V24 to V31 in the order of
// AdamCoefficients. In turn g += λ·w, m += (1 − β1)·(g − m), v = β2·v + (1 − β2)·g², V5 =
// √v/√(1 − β2^t) + ε, and w.
#define STEP \
	OP(FMLA, SINGLE, 0, 25, 1); \
	OP(FMUL, SINGLE, 0, 24, 0); \
	OP(FSUB, SINGLE, 1, 2, 4); \
	OP(FMLA, SINGLE, 4, 26, 2); \
	OP(FMUL, SINGLE, 1, 28, 4); \
	OP(FMUL, SINGLE, 3, 27, 3); \
	OP(FMLA, SINGLE, 4, 1, 3); \
	MAP(FSQRT, SINGLE, 3, 6); \
	MOVE(30, 5); \
	OP(FMLA, SINGLE, 6, 29, 5); \
	OP(FMUL, SINGLE, 2, 31, 4); \
	OP(FDIV, SINGLE, 4, 5, 4); \
	OP(FSUB, SINGLE, 0, 4, 0)

#define COEFFICIENT(offset, scalar, vector) \
	FMOVS offset(R5), scalar; \
	VDUP vector.S[0], vector.S4

// func adamF32(w, grad, m, v *float32, n int, p *AdamCoefficients)
TEXT ·adamF32(SB), NOSPLIT, $0-48
	MOVD w+0(FP), R0
	MOVD grad+8(FP), R1
	MOVD m+16(FP), R2
	MOVD v+24(FP), R6
	MOVD n+32(FP), R3
	MOVD p+40(FP), R5
	COEFFICIENT(AdamCoefficients_shrink, F24, V24)
	COEFFICIENT(AdamCoefficients_l2, F25, V25)
	COEFFICIENT(AdamCoefficients_rest1, F26, V26)
	COEFFICIENT(AdamCoefficients_beta2, F27, V27)
	COEFFICIENT(AdamCoefficients_rest2, F28, V28)
	COEFFICIENT(AdamCoefficients_root, F29, V29)
	COEFFICIENT(AdamCoefficients_epsilon, F30, V30)
	COEFFICIENT(AdamCoefficients_rate, F31, V31)
	LSR $2, R3, R4
	CBZ R4, rest
vector:
	VLD1 (R0), [V0.B16]
	VLD1.P 16(R1), [V1.B16]
	VLD1 (R2), [V2.B16]
	VLD1 (R6), [V3.B16]
	STEP
	VST1.P [V0.B16], 16(R0)
	VST1.P [V2.B16], 16(R2)
	VST1.P [V3.B16], 16(R6)
	SUBS $1, R4
	BNE vector
rest:
	ANDS $3, R3
	BEQ done
one:
	FMOVS (R0), F0
	FMOVS.P 4(R1), F1
	FMOVS (R2), F2
	FMOVS (R6), F3
	STEP
	FMOVS.P F0, 4(R0)
	FMOVS.P F2, 4(R2)
	FMOVS.P F3, 4(R6)
	SUBS $1, R3
	BNE one
done:
	RET
