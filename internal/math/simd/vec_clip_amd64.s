//go:build !purego

#include "textflag.h"

// func clipF32(dst, x *float32, n int, lo, hi float32)
// VMAXPS and VMINPS give the first operand here, which is x, where one is NaN or both are zero.
TEXT ·clipF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS lo+24(FP), Y14
	VBROADCASTSS hi+28(FP), Y15
	XORQ AX, AX

eight:
	VMAXPS 0(SI)(AX*4), Y14, Y0
	VMINPS Y0, Y15, Y0
	VMOVUPS Y0, 0(DI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT eight
	VZEROUPPER
	RET
