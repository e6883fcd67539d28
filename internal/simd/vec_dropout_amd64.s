//go:build !purego

#include "textflag.h"

// The four counters of a group, relative to the first. This order of the lanes
// leaves the words in the order of the blocks after they are interleaved.
DATA ·philoxLanes+0(SB)/8, $0
DATA ·philoxLanes+8(SB)/8, $2
DATA ·philoxLanes+16(SB)/8, $1
DATA ·philoxLanes+24(SB)/8, $3
GLOBL ·philoxLanes(SB), RODATA|NOPTR, $32

// One round of four blocks: Y1 holds words 0 and 1 of each, Y2 words 2 and 3. A
// swapped product is (high, low), as the words want it.
#define ROUND(key) \
	VPMULUDQ Y8, Y1, Y3 \
	VPMULUDQ Y9, Y2, Y4 \
	VPBROADCASTQ (16*key)(R8), Y5 \
	VPBROADCASTQ (16*key+8)(R8), Y6 \
	VPSRLQ $32, Y1, Y1 \
	VPSRLQ $32, Y2, Y2 \
	VPXOR Y5, Y1, Y1 \
	VPXOR Y6, Y2, Y2 \
	VPSHUFD $0xB1, Y3, Y3 \
	VPSHUFD $0xB1, Y4, Y4 \
	VPXOR Y4, Y1, Y1 \
	VPXOR Y3, Y2, Y2

// func dropoutAVX2(mask *float32, groups int, keys *philoxKeys, block uint64, last uint32, value float32)
// Each group is of 16 elements, four blocks. An element is kept when its word is
// at most last.
TEXT ·dropoutAVX2(SB), NOSPLIT, $0-40
	MOVQ mask+0(FP), DI
	MOVQ groups+8(FP), CX
	MOVQ keys+16(FP), R8
	VPBROADCASTQ block+24(FP), Y0
	VPADDQ ·philoxLanes(SB), Y0, Y0
	MOVL last+32(FP), AX
	VMOVD AX, X10
	VPBROADCASTD X10, Y10
	VBROADCASTSS value+36(FP), Y11
	MOVL $0xD2511F53, AX
	VMOVD AX, X8
	VPBROADCASTQ X8, Y8
	MOVL $0xCD9E8D57, AX
	VMOVD AX, X9
	VPBROADCASTQ X9, Y9
	MOVL $4, AX
	VMOVD AX, X12
	VPBROADCASTQ X12, Y12

group:
	VMOVDQA Y0, Y1
	VPXOR Y2, Y2, Y2
	ROUND(0)
	ROUND(1)
	ROUND(2)
	ROUND(3)
	ROUND(4)
	ROUND(5)
	ROUND(6)
	VPUNPCKLQDQ Y2, Y1, Y3
	VPUNPCKHQDQ Y2, Y1, Y4
	VPMINUD Y10, Y3, Y5
	VPMINUD Y10, Y4, Y6
	VPCMPEQD Y5, Y3, Y3
	VPCMPEQD Y6, Y4, Y4
	VPAND Y11, Y3, Y3
	VPAND Y11, Y4, Y4
	VMOVDQU Y3, (DI)
	VMOVDQU Y4, 32(DI)
	VPADDQ Y12, Y0, Y0
	ADDQ $64, DI
	DECQ CX
	JNZ group
	VZEROUPPER
	RET
