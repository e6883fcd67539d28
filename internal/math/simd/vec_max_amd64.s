//go:build !purego

#include "textflag.h"

// func maxF32(x *float32, n int) float32
// Thirty-two entries at a time, then eight; the last eight overlap those before.
TEXT ·maxF32(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VMOVUPS -32(SI)(CX*4), Y0
	VMOVAPS Y0, Y1
	VMOVAPS Y0, Y2
	VMOVAPS Y0, Y3
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~31, DX
	JZ some

many:
	VMAXPS 0(SI)(AX*4), Y0, Y0
	VMAXPS 32(SI)(AX*4), Y1, Y1
	VMAXPS 64(SI)(AX*4), Y2, Y2
	VMAXPS 96(SI)(AX*4), Y3, Y3
	ADDQ $32, AX
	CMPQ AX, DX
	JLT many

some:
	ANDQ $~7, CX
	JMP test

eight:
	VMAXPS 0(SI)(AX*4), Y0, Y0
	ADDQ $8, AX

test:
	CMPQ AX, CX
	JLT eight
	VMAXPS Y1, Y0, Y0
	VMAXPS Y3, Y2, Y2
	VMAXPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4E, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xB1, X0, X1
	VMAXPS X1, X0, X0
	VZEROUPPER
	MOVSS X0, ret+16(FP)
	RET
