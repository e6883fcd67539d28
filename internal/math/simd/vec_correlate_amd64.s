//go:build !purego

#include "textflag.h"

// EIGHT does something with eight registers, of 64 numbers.
#define EIGHT(OP) \
	OP(0, Y0) \
	OP(32, Y1) \
	OP(64, Y2) \
	OP(96, Y3) \
	OP(128, Y4) \
	OP(160, Y5) \
	OP(192, Y6) \
	OP(224, Y7)

#define CLEAR(at, reg) VXORPS reg, reg, reg
#define TAP(at, reg) VFMADD231PS at(AX), Y8, reg
#define PUT(at, reg) VMOVUPS reg, at(DI)

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
	EIGHT(CLEAR)
	XORQ CX, CX

tap:
	MOVQ (R8)(CX*8), AX
	LEAQ (SI)(AX*4), AX
	VBROADCASTSS (R9)(CX*4), Y8
	EIGHT(TAP)
	INCQ CX
	CMPQ CX, R10
	JLT  tap
	EIGHT(PUT)
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
