//go:build !purego

#include "textflag.h"

// The first registers of a block, of 16 numbers each.
#define FIRST1(OP)
#define FIRST2(OP) OP(0, Z0)
#define FIRST3(OP) FIRST2(OP); OP(64, Z1)
#define FIRST4(OP) FIRST3(OP); OP(128, Z2)
#define FIRST5(OP) FIRST4(OP); OP(192, Z3)
#define FIRST6(OP) FIRST5(OP); OP(256, Z4)
#define FIRST7(OP) FIRST6(OP); OP(320, Z5)
#define FIRST8(OP) FIRST7(OP); OP(384, Z6)

#define CLEAR(at, reg) VPXORD reg, reg, reg
#define TAP(at, reg) VFMADD231PS at(AX), Z8, reg
#define PUT(at, reg) VMOVUPS reg, at(DI)

// BLOCK computes a block: its first registers, and of the last one the numbers of the mask K1.
#define BLOCK(block, tap, FIRST, at, last) \
block: \
	FIRST(CLEAR) \
	VPXORD last, last, last \
	XORQ CX, CX \
tap: \
	MOVQ (R8)(CX*8), AX \
	LEAQ (SI)(AX*4), AX \
	VBROADCASTSS (R9)(CX*4), Z8 \
	FIRST(TAP) \
	VFMADD231PS at(AX), Z8, K1, last \
	INCQ CX \
	CMPQ CX, R10 \
	JLT tap \
	FIRST(PUT) \
	VMOVUPS last, K1, at(DI)

// func correlateWideF32(dst, src *float32, offsets *int, w *float32, taps, n int)
// dst[i] = Σ_t w[t]·src[i+offsets[t]] for n numbers, with at least one tap.
TEXT ·correlateWideF32(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ offsets+16(FP), R8
	MOVQ w+24(FP), R9
	MOVQ taps+32(FP), R10
	MOVQ n+40(FP), R11
	KXNORW K1, K1, K1
	CMPQ R11, $128
	JLT  rest
	BLOCK(whole, wholeTap, FIRST8, 448, Z7)
	ADDQ $512, DI
	ADDQ $512, SI
	SUBQ $128, R11
	CMPQ R11, $128
	JGE  whole

rest:
	DECQ R11
	JLT  done
	MOVQ R11, CX
	ANDQ $15, CX
	MOVL $2, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
	SHRQ $4, R11
	CMPQ R11, $1
	JLT  one
	JEQ  two
	CMPQ R11, $3
	JLT  three
	JEQ  four
	CMPQ R11, $5
	JLT  five
	JEQ  six
	CMPQ R11, $7
	JLT  seven
	BLOCK(eight, eightTap, FIRST8, 448, Z7)
	JMP  done
	BLOCK(seven, sevenTap, FIRST7, 384, Z6)
	JMP  done
	BLOCK(six, sixTap, FIRST6, 320, Z5)
	JMP  done
	BLOCK(five, fiveTap, FIRST5, 256, Z4)
	JMP  done
	BLOCK(four, fourTap, FIRST4, 192, Z3)
	JMP  done
	BLOCK(three, threeTap, FIRST3, 128, Z2)
	JMP  done
	BLOCK(two, twoTap, FIRST2, 64, Z1)
	JMP  done
	BLOCK(one, oneTap, FIRST1, 0, Z0)

done:
	VZEROUPPER
	RET
