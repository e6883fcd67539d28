//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// One step of eight elements: Y0 = w, Y1 = g, Y2 = m, Y3 = v, the coefficients in
// Y8 to Y15 in the order of AdamCoefficients. In turn g += λ·w, m += (1 − β1)·(g − m),
// v = β2·v + (1 − β2)·g², Y5 = √v/√(1 − β2^t) + ε, and w.
#define STEP \
	VFMADD231PS Y9, Y0, Y1 \
	VMULPS Y8, Y0, Y0 \
	VSUBPS Y2, Y1, Y4 \
	VFMADD231PS Y10, Y4, Y2 \
	VMULPS Y12, Y1, Y4 \
	VMULPS Y11, Y3, Y3 \
	VFMADD231PS Y1, Y4, Y3 \
	VSQRTPS Y3, Y5 \
	VFMADD213PS Y14, Y13, Y5 \
	VMULPS Y15, Y2, Y4 \
	VDIVPS Y5, Y4, Y4 \
	VSUBPS Y4, Y0, Y0

// func adamF32(w, grad, m, v *float32, n int, p *AdamCoefficients)
TEXT ·adamF32(SB), NOSPLIT, $0-48
	MOVQ w+0(FP), DI
	MOVQ grad+8(FP), SI
	MOVQ m+16(FP), BX
	MOVQ v+24(FP), DX
	MOVQ n+32(FP), CX
	MOVQ p+40(FP), R8
	VBROADCASTSS AdamCoefficients_shrink(R8), Y8
	VBROADCASTSS AdamCoefficients_l2(R8), Y9
	VBROADCASTSS AdamCoefficients_rest1(R8), Y10
	VBROADCASTSS AdamCoefficients_beta2(R8), Y11
	VBROADCASTSS AdamCoefficients_rest2(R8), Y12
	VBROADCASTSS AdamCoefficients_root(R8), Y13
	VBROADCASTSS AdamCoefficients_epsilon(R8), Y14
	VBROADCASTSS AdamCoefficients_rate(R8), Y15
	XORQ AX, AX
	MOVQ CX, R10
	ANDQ $~7, R10
	JZ rest
whole:
	VMOVUPS (DI)(AX*4), Y0
	VMOVUPS (SI)(AX*4), Y1
	VMOVUPS (BX)(AX*4), Y2
	VMOVUPS (DX)(AX*4), Y3
	STEP
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y2, (BX)(AX*4)
	VMOVUPS Y3, (DX)(AX*4)
	ADDQ $8, AX
	CMPQ AX, R10
	JLT whole
rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y7 // the mask of the last CX elements
	VMASKMOVPS (DI)(AX*4), Y7, Y0
	VMASKMOVPS (SI)(AX*4), Y7, Y1
	VMASKMOVPS (BX)(AX*4), Y7, Y2
	VMASKMOVPS (DX)(AX*4), Y7, Y3
	STEP
	VMASKMOVPS Y0, Y7, (DI)(AX*4)
	VMASKMOVPS Y2, Y7, (BX)(AX*4)
	VMASKMOVPS Y3, Y7, (DX)(AX*4)
done:
	VZEROUPPER
	RET
