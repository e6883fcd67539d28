//go:build !purego

#include "textflag.h"

// func rivalF32(best, x *float32, at *int32, blocks int, first, step int32)
// best = x and at = first + i·step where x > best. Y4 holds the places of a block.
TEXT ·rivalF32(SB), NOSPLIT, $0-40
	MOVQ best+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ at+16(FP), DX
	MOVQ blocks+24(FP), CX
	VBROADCASTSS first+32(FP), Y4
	VBROADCASTSS step+36(FP), Y5
	VPMULLD ·eightFirst(SB), Y5, Y0
	VPADDD Y0, Y4, Y4
	VPSLLD $3, Y5, Y5

block:
	VMOVUPS (SI), Y0
	VMOVUPS (DI), Y1
	VMOVUPS (DX), Y3
	VCMPPS $0x1E, Y1, Y0, Y2
	VBLENDVPS Y2, Y0, Y1, Y1
	VBLENDVPS Y2, Y4, Y3, Y3
	VMOVUPS Y1, (DI)
	VMOVUPS Y3, (DX)
	VPADDD Y5, Y4, Y4
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, DX
	DECQ CX
	JNE  block
	VZEROUPPER
	RET
