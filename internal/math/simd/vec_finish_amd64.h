// The end of a sum, and the larger of two numbers, for float32 and for float64: T is the type.

// FINISH takes a sum in Y0, bias and summand added, and what its sign is that of in
// Y1: Y12 is zero, Y14 the slope and Y15 zero where the slope is and all ones
// elsewhere.
#define FINISH \
	VMULP Y14, Y0, Y2 \
	VCMPP $0x16, Y12, Y1, Y3 \
	VANDP Y15, Y2, Y2 \
	VBLENDVP Y3, Y0, Y2, Y0

// func finish(dst, src, add, sign *T, rows, n, dstStride, srcStride int, bias *T, biasStep int, slope T)
// rows and n are not zero.
TEXT finish(SB), NOSPLIT, $0-ARGS_80_1
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ add+16(FP), R8
	MOVQ sign+24(FP), R9
	MOVQ rows+32(FP), R10
	MOVQ n+40(FP), R11
	MOVQ dstStride+48(FP), R12
	MOVQ srcStride+56(FP), R13
	MOVQ bias+64(FP), DX
	VBROADCASTS slope+80(FP), Y14
	VXORP Y12, Y12, Y12
	VCMPP $4, Y12, Y14, Y15
	IMULQ $SIZE, R12
	IMULQ $SIZE, R13
	MOVQ R11, CX
	ANDQ $(LANES-1), CX
	NEGQ CX
	LEAQ ·vecMask(SB), BX
	VMOVUP 32(BX)(CX*SIZE), Y4 // of the rest of a row
	MOVQ biasStep+72(FP), BX

row:
	VBROADCASTS (DX), Y13
	XORQ AX, AX
	MOVQ R11, CX
	SUBQ $LANES, CX
	JLT  tail

whole:
	VADDP (SI)(AX*SIZE), Y13, Y0
	TESTQ R8, R8
	JEQ  added
	VADDP (R8)(AX*SIZE), Y0, Y0

added:
	VMOVAPS Y0, Y1
	TESTQ R9, R9
	JEQ  signed
	VMOVUP (R9)(AX*SIZE), Y1

signed:
	FINISH
	VMOVUP Y0, (DI)(AX*SIZE)
	ADDQ $LANES, AX
	SUBQ $LANES, CX
	JGE  whole

tail:
	CMPQ CX, $-LANES
	JEQ  next
	VMASKMOVP (SI)(AX*SIZE), Y4, Y0
	VADDP Y13, Y0, Y0
	TESTQ R8, R8
	JEQ  tailAdded
	VMASKMOVP (R8)(AX*SIZE), Y4, Y1
	VADDP Y1, Y0, Y0

tailAdded:
	VMOVAPS Y0, Y1
	TESTQ R9, R9
	JEQ  tailSigned
	VMASKMOVP (R9)(AX*SIZE), Y4, Y1

tailSigned:
	FINISH
	VMASKMOVP Y0, Y4, (DI)(AX*SIZE)

next:
	DECQ R10
	JEQ  done
	ADDQ R12, DI
	ADDQ R13, SI
	LEAQ (DX)(BX*SIZE), DX
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

#define LARGEROF(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*SIZE), Ya) \
	LOAD(off(BX)(AX*SIZE), Yb) \
	VMAXP Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*SIZE))

// func larger(dst, a, b *T, n int)
// dst = a where a > b, else b
TEXT larger(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	PAIRS(LARGEROF)
	VZEROUPPER
	RET
