//go:build !purego

#include "textflag.h"

// EIGHT does something with eight registers, of 64 numbers, FOUR with four, and ONE with one.
#define ONE(OP) OP(0, Y0)
#define FOUR(OP) \
	ONE(OP) \
	OP(32, Y1) \
	OP(64, Y2) \
	OP(96, Y3)
#define EIGHT(OP) \
	FOUR(OP) \
	OP(128, Y4) \
	OP(160, Y5) \
	OP(192, Y6) \
	OP(224, Y7)

#define CLEAR(at, reg) VXORPS reg, reg, reg
#define TAP(at, reg) VFMADD231PS at(AX), Y8, reg
#define PUT(at, reg) VMOVUPS reg, at(DI)

// BLOCKS computes R11 blocks of so many registers, and returns.
#define BLOCKS(block, tap, REGISTERS, bytes) \
block: \
	REGISTERS(CLEAR) \
	XORQ CX, CX \
tap: \
	MOVQ (R8)(CX*8), AX \
	LEAQ (SI)(AX*4), AX \
	VBROADCASTSS (R9)(CX*4), Y8 \
	REGISTERS(TAP) \
	INCQ CX \
	CMPQ CX, R10 \
	JLT tap \
	REGISTERS(PUT) \
	ADDQ $bytes, DI \
	ADDQ $bytes, SI \
	DECQ R11 \
	JNE block \
	VZEROUPPER \
	RET

// func correlateF32(dst, src *float32, offsets *int, w *float32, taps, block, blocks int)
// dst[i] = Σ_t w[t]·src[i+offsets[t]] for block·blocks numbers; block is 64, 32 or 8.
TEXT ·correlateF32(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ offsets+16(FP), R8
	MOVQ w+24(FP), R9
	MOVQ taps+32(FP), R10
	MOVQ block+40(FP), AX
	MOVQ blocks+48(FP), R11
	CMPQ AX, $32
	JEQ  four
	JLT  one
	BLOCKS(eight, eightTap, EIGHT, 256)
	BLOCKS(four, fourTap, FOUR, 128)
	BLOCKS(one, oneTap, ONE, 32)
