//go:build !purego

#include "textflag.h"

// FINISH takes a sum in Y0, bias and summand added, and what its sign is that of in
// Y1: Y12 is zero, Y14 the slope and Y15 zero where the slope is and all ones
// elsewhere.
#define FINISH \
	VMULPS Y14, Y0, Y2 \
	VCMPPS $0x16, Y12, Y1, Y3 \
	VANDPS Y15, Y2, Y2 \
	VBLENDVPS Y3, Y0, Y2, Y0

// func finishF32(dst, src, add, sign *float32, rows, n, dstStride, srcStride int, bias, slope float32)
// rows and n are not zero.
TEXT ·finishF32(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ add+16(FP), R8
	MOVQ sign+24(FP), R9
	MOVQ rows+32(FP), R10
	MOVQ n+40(FP), R11
	MOVQ dstStride+48(FP), R12
	MOVQ srcStride+56(FP), R13
	VBROADCASTSS bias+64(FP), Y13
	VBROADCASTSS slope+68(FP), Y14
	VXORPS Y12, Y12, Y12
	VCMPPS $4, Y12, Y14, Y15
	SHLQ $2, R12
	SHLQ $2, R13
	MOVQ R11, CX
	ANDQ $7, CX
	SHLQ $2, CX
	LEAQ ·finishMask+32(SB), BX
	SUBQ CX, BX
	VMOVUPS (BX), Y4 // of the rest of a row

row:
	XORQ AX, AX
	MOVQ R11, CX
	SUBQ $8, CX
	JLT  tail

eight:
	VADDPS (SI)(AX*4), Y13, Y0
	TESTQ R8, R8
	JEQ  added
	VADDPS (R8)(AX*4), Y0, Y0

added:
	VMOVAPS Y0, Y1
	TESTQ R9, R9
	JEQ  signed
	VMOVUPS (R9)(AX*4), Y1

signed:
	FINISH
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX
	SUBQ $8, CX
	JGE  eight

tail:
	CMPQ CX, $-8
	JEQ  next
	VMASKMOVPS (SI)(AX*4), Y4, Y0
	VADDPS Y13, Y0, Y0
	TESTQ R8, R8
	JEQ  tailAdded
	VMASKMOVPS (R8)(AX*4), Y4, Y1
	VADDPS Y1, Y0, Y0

tailAdded:
	VMOVAPS Y0, Y1
	TESTQ R9, R9
	JEQ  tailSigned
	VMASKMOVPS (R9)(AX*4), Y4, Y1

tailSigned:
	FINISH
	VMASKMOVPS Y0, Y4, (DI)(AX*4)

next:
	DECQ R10
	JEQ  done
	ADDQ R12, DI
	ADDQ R13, SI
	TESTQ R8, R8
	JEQ  nextSign
	ADDQ R12, R8

nextSign:
	TESTQ R9, R9
	JEQ  row
	ADDQ R12, R9
	JMP  row

done:
	VZEROUPPER
	RET
