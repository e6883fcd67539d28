//go:build !purego

#include "textflag.h"

// One round of eight blocks, two groups of four, so that one's products are under way
// while the other's are used. Of the first, Y1 holds words 0 and 1 of each block and Y2
// words 2 and 3; of the second, Y3 and Y4. A swapped product is (high, low), as the
// words want it.
#define ROUND(key) \
	VPBROADCASTQ (16*key)(R8), Y13 \
	VPBROADCASTQ (16*key+8)(R8), Y14 \
	VPMULUDQ Y8, Y1, Y5 \
	VPMULUDQ Y9, Y2, Y6 \
	VPMULUDQ Y8, Y3, Y7 \
	VPMULUDQ Y9, Y4, Y11 \
	VPSRLQ $32, Y1, Y1 \
	VPSRLQ $32, Y2, Y2 \
	VPSRLQ $32, Y3, Y3 \
	VPSRLQ $32, Y4, Y4 \
	VPXOR Y13, Y1, Y1 \
	VPXOR Y14, Y2, Y2 \
	VPXOR Y13, Y3, Y3 \
	VPXOR Y14, Y4, Y4 \
	VPSHUFD $0xB1, Y5, Y5 \
	VPSHUFD $0xB1, Y6, Y6 \
	VPSHUFD $0xB1, Y7, Y7 \
	VPSHUFD $0xB1, Y11, Y11 \
	VPXOR Y6, Y1, Y1 \
	VPXOR Y5, Y2, Y2 \
	VPXOR Y11, Y3, Y3 \
	VPXOR Y7, Y4, Y4

// DECIDE leaves the bits of a group's 32 elements in to. p gets the draws of its first
// and third block, q those of the others, which is how packing to bytes takes them.
#define DECIDE(lo, hi, p, q, r, to) \
	VPUNPCKLQDQ hi, lo, p \
	VPUNPCKHQDQ hi, lo, q \
	VPMINUW Y10, p, r \
	VPCMPEQW r, p, p \
	VPMINUW Y10, q, r \
	VPCMPEQW r, q, q \
	VPACKSSWB q, p, p \
	VPMOVMSKB p, to

// func dropoutMaskAVX2(words *uint64, n int, keys *philoxKeys, block uint64, last uint16)
// A word is of eight blocks. An element is kept when its draw is at most last.
TEXT ·dropoutMaskAVX2(SB), NOSPLIT, $0-34
	MOVQ words+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ keys+16(FP), R8
	VPBROADCASTQ block+24(FP), Y0
	VPADDQ ·philoxLanes(SB), Y0, Y0
	VPBROADCASTW last+32(FP), Y10
	MOVL $0xD2511F53, AX
	VMOVD AX, X8
	VPBROADCASTQ X8, Y8
	MOVL $0xCD9E8D57, AX
	VMOVD AX, X9
	VPBROADCASTQ X9, Y9
	MOVL $4, AX
	VMOVD AX, X12
	VPBROADCASTQ X12, Y12

word:
	VMOVDQA Y0, Y1
	VPADDQ Y12, Y0, Y3
	VPADDQ Y12, Y3, Y0
	VPXOR Y2, Y2, Y2
	VPXOR Y4, Y4, Y4
	ROUND(0)
	ROUND(1)
	ROUND(2)
	ROUND(3)
	ROUND(4)
	ROUND(5)
	ROUND(6)
	DECIDE(Y1, Y2, Y5, Y6, Y7, AX)
	DECIDE(Y3, Y4, Y5, Y6, Y7, DX)
	SHLQ $32, DX
	ORQ DX, AX
	MOVQ AX, (DI)
	ADDQ $8, DI
	DECQ CX
	JNZ word
	VZEROUPPER
	RET
