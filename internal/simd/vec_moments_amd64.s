//go:build !purego

#include "textflag.h"

// Sums of float32 in float64: sixteen elements at a time, then four, then the
// rest under a mask. Y0 to Y3 gather the plain sum, Y4 to Y7 the products.

#define CLEAR \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y6, Y6, Y6 \
	VXORPD Y7, Y7, Y7

// The two sums end up in X0 and X4.
#define GATHER \
	VADDPD Y1, Y0, Y0 \
	VADDPD Y3, Y2, Y2 \
	VADDPD Y2, Y0, Y0 \
	VADDPD Y5, Y4, Y4 \
	VADDPD Y7, Y6, Y6 \
	VADDPD Y6, Y4, Y4 \
	VEXTRACTF128 $1, Y0, X1 \
	VEXTRACTF128 $1, Y4, X5 \
	VADDPD X1, X0, X0 \
	VADDPD X5, X4, X4 \
	VPERMILPD $1, X0, X1 \
	VPERMILPD $1, X4, X5 \
	VADDSD X1, X0, X0 \
	VADDSD X5, X4, X4

#define SQUARES(off, s, q) \
	VCVTPS2PD off(DI)(AX*4), Y8 \
	VADDPD Y8, s, s \
	VFMADD231PD Y8, Y8, q

#define PRODUCTS(off, s, q) \
	VCVTPS2PD off(DI)(AX*4), Y8 \
	VCVTPS2PD off(SI)(AX*4), Y9 \
	VADDPD Y8, s, s \
	VFMADD231PD Y9, Y8, q

// func sumAndSquaresF32(x *float32, n int) (sum, sumsq float64)
TEXT ·sumAndSquaresF32(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	CLEAR
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ some

sixteen:
	SQUARES(0, Y0, Y4)
	SQUARES(16, Y1, Y5)
	SQUARES(32, Y2, Y6)
	SQUARES(48, Y3, Y7)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT sixteen

some:
	MOVQ CX, DX
	ANDQ $~3, DX
	JMP test

four:
	SQUARES(0, Y0, Y4)
	ADDQ $4, AX

test:
	CMPQ AX, DX
	JLT four
	ANDQ $3, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), X15
	VMASKMOVPS (DI)(AX*4), X15, X8
	VCVTPS2PD X8, Y8
	VADDPD Y8, Y1, Y1
	VFMADD231PD Y8, Y8, Y5

done:
	GATHER
	VZEROUPPER
	MOVSD X0, sum+16(FP)
	MOVSD X4, sumsq+24(FP)
	RET

// func dotAndSumF32(d, x *float32, n int) (sum, dot float64)
TEXT ·dotAndSumF32(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX
	CLEAR
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ some

sixteen:
	PRODUCTS(0, Y0, Y4)
	PRODUCTS(16, Y1, Y5)
	PRODUCTS(32, Y2, Y6)
	PRODUCTS(48, Y3, Y7)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT sixteen

some:
	MOVQ CX, DX
	ANDQ $~3, DX
	JMP test

four:
	PRODUCTS(0, Y0, Y4)
	ADDQ $4, AX

test:
	CMPQ AX, DX
	JLT four
	ANDQ $3, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), X15
	VMASKMOVPS (DI)(AX*4), X15, X8
	VMASKMOVPS (SI)(AX*4), X15, X9
	VCVTPS2PD X8, Y8
	VCVTPS2PD X9, Y9
	VADDPD Y8, Y1, Y1
	VFMADD231PD Y9, Y8, Y5

done:
	GATHER
	VZEROUPPER
	MOVSD X0, sum+24(FP)
	MOVSD X4, dot+32(FP)
	RET
