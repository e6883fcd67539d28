//go:build !purego

#include "textflag.h"

// func correlateF32(dst, src *float32, offsets *int, w *float32, taps, blocks int)
// dst[i] = Σ_t w[t]·src[i+offsets[t]] for 8·blocks numbers, sixty-four at a time and
// then eight.
TEXT ·correlateF32(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ offsets+16(FP), R8
	MOVQ w+24(FP), R9
	MOVQ taps+32(FP), R10
	MOVQ blocks+40(FP), R11
	SUBQ $8, R11
	JLT  few

many:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ CX, CX

tap:
	MOVQ (R8)(CX*8), AX
	LEAQ (SI)(AX*4), AX
	VBROADCASTSS (R9)(CX*4), Y8
	VFMADD231PS (AX), Y8, Y0
	VFMADD231PS 32(AX), Y8, Y1
	VFMADD231PS 64(AX), Y8, Y2
	VFMADD231PS 96(AX), Y8, Y3
	VFMADD231PS 128(AX), Y8, Y4
	VFMADD231PS 160(AX), Y8, Y5
	VFMADD231PS 192(AX), Y8, Y6
	VFMADD231PS 224(AX), Y8, Y7
	INCQ CX
	CMPQ CX, R10
	JLT  tap
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ $256, DI
	ADDQ $256, SI
	SUBQ $8, R11
	JGE  many

few:
	ADDQ $8, R11
	JEQ  done

one:
	VXORPS Y0, Y0, Y0
	XORQ CX, CX

oneTap:
	MOVQ (R8)(CX*8), AX
	LEAQ (SI)(AX*4), AX
	VBROADCASTSS (R9)(CX*4), Y8
	VFMADD231PS (AX), Y8, Y0
	INCQ CX
	CMPQ CX, R10
	JLT  oneTap
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	ADDQ $32, SI
	DECQ R11
	JNE  one

done:
	VZEROUPPER
	RET
