//go:build !purego

#include "textflag.h"

// The counters of a word's eight blocks, relative to the first, in the order in which unpacking
// leaves the draws of blocks 0 to 3 in one register and those of 4 to 7 in another.
DATA ·philoxWide+0(SB)/8, $0
DATA ·philoxWide+8(SB)/8, $4
DATA ·philoxWide+16(SB)/8, $1
DATA ·philoxWide+24(SB)/8, $5
DATA ·philoxWide+32(SB)/8, $2
DATA ·philoxWide+40(SB)/8, $6
DATA ·philoxWide+48(SB)/8, $3
DATA ·philoxWide+56(SB)/8, $7
GLOBL ·philoxWide(SB), RODATA|NOPTR, $64

// One round of eight blocks: Z1 holds words 0 and 1 of each, Z2 words 2 and 3. A swapped product
// is (high, low), as the words want it. $0x96 is the exclusive or of three.
#define ROUND(key0, key1) \
	VPMULUDQ Z8, Z1, Z5 \
	VPMULUDQ Z9, Z2, Z6 \
	VPSRLQ $32, Z1, Z1 \
	VPSRLQ $32, Z2, Z2 \
	VPRORQ $32, Z5, Z5 \
	VPRORQ $32, Z6, Z6 \
	VPTERNLOGQ $0x96, key0, Z6, Z1 \
	VPTERNLOGQ $0x96, key1, Z5, Z2

// func dropoutMaskAVX512(words *uint64, n int, keys *philoxKeys, block uint64, last uint16)
// A word is of eight blocks. An element is kept when its draw is at most last.
TEXT ·dropoutMaskAVX512(SB), NOSPLIT, $0-34
	MOVQ words+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ keys+16(FP), R8
	VPBROADCASTQ block+24(FP), Z0
	VPADDQ ·philoxWide(SB), Z0, Z0
	VPBROADCASTW last+32(FP), Z10
	MOVL $0xD2511F53, AX
	VPBROADCASTQ AX, Z8
	MOVL $0xCD9E8D57, AX
	VPBROADCASTQ AX, Z9
	MOVL $8, AX
	VPBROADCASTQ AX, Z12
	VPXORQ Z7, Z7, Z7
	VPBROADCASTQ 0(R8), Z16
	VPBROADCASTQ 8(R8), Z17
	VPBROADCASTQ 16(R8), Z18
	VPBROADCASTQ 24(R8), Z19
	VPBROADCASTQ 32(R8), Z20
	VPBROADCASTQ 40(R8), Z21
	VPBROADCASTQ 48(R8), Z22
	VPBROADCASTQ 56(R8), Z23
	VPBROADCASTQ 64(R8), Z24
	VPBROADCASTQ 72(R8), Z25
	VPBROADCASTQ 80(R8), Z26
	VPBROADCASTQ 88(R8), Z27
	VPBROADCASTQ 96(R8), Z28
	VPBROADCASTQ 104(R8), Z29

word:
	VMOVDQA64 Z0, Z1
	VMOVDQA64 Z7, Z2
	VPADDQ Z12, Z0, Z0
	ROUND(Z16, Z17)
	ROUND(Z18, Z19)
	ROUND(Z20, Z21)
	ROUND(Z22, Z23)
	ROUND(Z24, Z25)
	ROUND(Z26, Z27)
	ROUND(Z28, Z29)
	VPUNPCKLQDQ Z2, Z1, Z3
	VPUNPCKHQDQ Z2, Z1, Z4
	VPCMPUW $2, Z10, Z3, K1
	VPCMPUW $2, Z10, Z4, K2
	KUNPCKDQ K1, K2, K1
	KMOVQ K1, (DI)
	ADDQ $8, DI
	DECQ CX
	JNZ word
	VZEROUPPER
	RET
