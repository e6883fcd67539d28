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

// func finishF32(dst, src, add, sign *float32, n int, bias, slope float32)
TEXT ·finishF32(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ add+16(FP), R8
	MOVQ sign+24(FP), R9
	MOVQ n+32(FP), CX
	VBROADCASTSS bias+40(FP), Y13
	VBROADCASTSS slope+44(FP), Y14
	VXORPS Y12, Y12, Y12
	VCMPPS $4, Y12, Y14, Y15
	XORQ AX, AX
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
	ADDQ $8, CX
	JEQ  done
	LEAQ ·finishMask+32(SB), BX
	SHLQ $2, CX
	SUBQ CX, BX
	VMOVUPS (BX), Y4
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

done:
	VZEROUPPER
	RET
