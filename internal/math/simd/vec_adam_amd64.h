// What vec_adam_amd64.s and vec_adam_avx512_amd64.s share: V0 … V15 are registers of LANES elements.

// One step of LANES elements: V0 = w, V1 = g, V2 = m, V3 = v, the coefficients in
// V8 to V15 in the order of AdamCoefficients. In turn g += λ·w, m += (1 − β1)·(g − m),
// v = β2·v + (1 − β2)·g², V5 = √v/√(1 − β2^t) + ε, and w.
#define STEP \
	VFMADD231PS V9, V0, V1 \
	VMULPS V8, V0, V0 \
	VSUBPS V2, V1, V4 \
	VFMADD231PS V10, V4, V2 \
	VMULPS V12, V1, V4 \
	VMULPS V11, V3, V3 \
	VFMADD231PS V1, V4, V3 \
	VSQRTPS V3, V5 \
	VFMADD213PS V14, V13, V5 \
	VMULPS V15, V2, V4 \
	VDIVPS V5, V4, V4 \
	VSUBPS V4, V0, V0

// ADAM is a step of all elements.
#define ADAM \
	MOVQ w+0(FP), DI \
	MOVQ grad+8(FP), SI \
	MOVQ m+16(FP), BX \
	MOVQ v+24(FP), DX \
	MOVQ n+32(FP), CX \
	MOVQ p+40(FP), R8 \
	VBROADCASTSS AdamCoefficients_shrink(R8), V8 \
	VBROADCASTSS AdamCoefficients_l2(R8), V9 \
	VBROADCASTSS AdamCoefficients_rest1(R8), V10 \
	VBROADCASTSS AdamCoefficients_beta2(R8), V11 \
	VBROADCASTSS AdamCoefficients_rest2(R8), V12 \
	VBROADCASTSS AdamCoefficients_root(R8), V13 \
	VBROADCASTSS AdamCoefficients_epsilon(R8), V14 \
	VBROADCASTSS AdamCoefficients_rate(R8), V15 \
	MOVBLZX AdamCoefficients_zero(R8), R9 \
	ZERO(V6) \
	XORQ AX, AX \
	MOVQ CX, R10 \
	ANDQ $~(LANES-1), R10 \
	JZ rest \
whole: \
	VMOVUPS (DI)(AX*4), V0 \
	VMOVUPS (SI)(AX*4), V1 \
	VMOVUPS (BX)(AX*4), V2 \
	VMOVUPS (DX)(AX*4), V3 \
	STEP \
	VMOVUPS V0, (DI)(AX*4) \
	VMOVUPS V2, (BX)(AX*4) \
	VMOVUPS V3, (DX)(AX*4) \
	TESTQ R9, R9 \
	JZ kept \
	VMOVUPS V6, (SI)(AX*4) \
kept: \
	ADDQ $LANES, AX \
	CMPQ AX, R10 \
	JLT whole \
rest: \
	ANDQ $(LANES-1), CX \
	JZ done \
	PART \
	PART_LOAD((DI)(AX*4), V0) \
	PART_LOAD((SI)(AX*4), V1) \
	PART_LOAD((BX)(AX*4), V2) \
	PART_LOAD((DX)(AX*4), V3) \
	STEP \
	PART_STORE(V0, (DI)(AX*4)) \
	PART_STORE(V2, (BX)(AX*4)) \
	PART_STORE(V3, (DX)(AX*4)) \
	TESTQ R9, R9 \
	JZ done \
	PART_STORE(V6, (SI)(AX*4)) \
done: \
	VZEROUPPER \
	RET
