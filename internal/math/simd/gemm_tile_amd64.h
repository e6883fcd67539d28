// The product of tiles for float32 and for float64: T is the type, of 1<<SHIFT bytes.

// func tile(tiles, kc int, a *T, rs, cs, aStep int, b *T, bs, bStep int, c *T, cr, cStep int, alpha, beta T)
TEXT tile(SB), NOSPLIT, $0-ARGS
	MOVQ tiles+0(FP), R12
	MOVQ a+16(FP), R13
	MOVQ rs+24(FP), R8
	MOVQ cs+32(FP), R9
	MOVQ aStep+40(FP), DX
	MOVQ b+48(FP), R15
	MOVQ bs+56(FP), R10
	MOVQ c+72(FP), SI
	MOVQ cr+80(FP), R11
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R9
	SHLQ $SHIFT, DX
	SHLQ $SHIFT, R10
	SHLQ $SHIFT, R11

whole:
	FETCH
	SIX(CLEAR)
	MOVQ R13, AX
	LEAQ (R8)(R8*2), BX
	ADDQ R13, BX
	MOVQ R15, DI
	MOVQ kc+8(FP), CX
	SUBQ $4, CX
	JLT  tail
	TESTQ DX, DX
	JEQ  near
	MOVQ bStep+64(FP), R14
	TESTQ R14, R14
	JNE  onward

near:
	CMPQ R8, $64 // a row not packed may lie in memory
	JGE  far

four:
	TERM
	TERM
	TERM
	TERM
	SUBQ $4, CX
	JGE  four
	JMP  tail

far:
	AHEAD
	TERM
	TERM
	TERM
	TERM
	SUBQ $4, CX
	JGE  far
	JMP  tail

onward:
	ONWARD
	TERM
	TERM
	TERM
	TERM
	SUBQ $4, CX
	JGE  onward

tail:
	ADDQ $4, CX
	JEQ  out

one:
	TERM
	DECQ CX
	JNE  one

out:
	BROADCAST alpha+96(FP), Y0
	SIX(ALPHA)
	JUMP_BETA
	SIX(STORE)
	JMP  next

grow:
	SIX(GROW)
	JMP  next

scaled:
	BROADCAST BETA_AT, Y1
	SIX(SCALED)

next:
	MOVQ cStep+88(FP), BX
	SHLQ $SHIFT, BX
	ADDQ BX, SI
	ADDQ DX, R13
	TESTQ DX, DX
	JNE  below
	MOVQ bStep+64(FP), AX
	SHLQ $SHIFT, AX
	ADDQ AX, R15

below:
	DECQ R12
	JNE  whole
	VZEROUPPER
	RET
