//go:build !purego

#include "textflag.h"

// func evenF32(dst, src *float32, blocks int)
TEXT ·evenF32(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ blocks+16(FP), CX

loop:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VSHUFPS $0x88, Y1, Y0, Y0 // 0 2 8 10 | 4 6 12 14
	VPERMPD $0xD8, Y0, Y0     // 0 2 4 6 | 8 10 12 14
	VMOVUPS Y0, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

// func addEvenF32(dst, src *float32, blocks int)
TEXT ·addEvenF32(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ blocks+16(FP), CX
	VXORPS Y3, Y3, Y3

loop:
	VPERMPD $0xD8, (SI), Y0    // 0 1 4 5 | 2 3 6 7
	VUNPCKLPS Y3, Y0, Y1       // 0 . 1 . | 2 . 3 .
	VUNPCKHPS Y3, Y0, Y2       // 4 . 5 . | 6 . 7 .
	VADDPS (DI), Y1, Y1
	VADDPS 32(DI), Y2, Y2
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET
