//go:build !purego

#include "textflag.h"

// The tiles of gemm_amd64.s with registers twice as wide: 6 rows of two registers of C, Z4 and
// Z5, Z6 and Z7 … Z14 and Z15. In a column of tiles two of them go together, so that a row
// of B serves twelve rows of A: the lower one is Z16 and Z17 … Z26 and Z27. An element of C is
// the result of the same operations, in the same order, as there.
//
//	AX, BX    rows 0 and 3 of A at the current term     R8  bytes between rows of A
//	R14, R10  the same of the lower tile                R9  bytes between columns of A
//	DI        row of B at the current term              SI  C
//	CX        terms left                                R11 bytes between rows of C
//	R12       tiles left                                DX  bytes from a tile's A to the next
//	R13       A at the tile's first term                R15 B at its first term
//	skip      bytes between rows of B                   ahead the same to the B of the next column

// SIX does something with each row of a tile, and SIXLOW with each row of the lower one.
#define SIX(OP) \
	OP(Z4, Z5) \
	OP(Z6, Z7) \
	OP(Z8, Z9) \
	OP(Z10, Z11) \
	OP(Z12, Z13) \
	OP(Z14, Z15)

#define SIXLOW(OP) \
	OP(Z16, Z17) \
	OP(Z18, Z19) \
	OP(Z20, Z21) \
	OP(Z22, Z23) \
	OP(Z24, Z25) \
	OP(Z26, Z27)

#define CLEAR(Za, Zb) \
	VPXORD Za, Za, Za \
	VPXORD Zb, Zb, Zb

// FETCH asks for six rows of C, from CX on, while their sum is under way.
#define TWOROWS \
	PREFETCHT0 (CX) \
	PREFETCHT0 64(CX) \
	PREFETCHT0 (CX)(R11*1) \
	PREFETCHT0 64(CX)(R11*1) \
	LEAQ (CX)(R11*2), CX
#define FETCH \
	TWOROWS \
	TWOROWS \
	TWOROWS

// AHEAD asks for the A of the tile after the next at the current term, into the second cache.
#define THREEAHEAD(row) \
	LEAQ (row)(DX*2), BP \
	PREFETCHT1 (BP) \
	PREFETCHT1 (BP)(R8*1) \
	PREFETCHT1 (BP)(R8*2)
#define AHEAD \
	THREEAHEAD(AX) \
	THREEAHEAD(BX) \
	THREEAHEAD(R14) \
	THREEAHEAD(R10)

// ONWARD asks for four rows of the next column's B, into the second cache.
#define ONWARD \
	MOVQ ahead-16(SP), BP \
	ADDQ DI, BP \
	PREFETCHT1 (BP) \
	PREFETCHT1 64(BP) \
	PREFETCHT1 128(BP) \
	PREFETCHT1 192(BP) \
	PREFETCHT1 256(BP) \
	PREFETCHT1 320(BP) \
	PREFETCHT1 384(BP) \
	PREFETCHT1 448(BP)

// COLUMN broadcasts six elements of A, of rows from upper and lower on, and ROW adds one of them times
// the row of B to a row of the tile.
#define COLUMN(BROADCAST, upper, lower) \
	BROADCAST (upper), Z2 \
	BROADCAST (upper)(R8*1), Z3 \
	BROADCAST (upper)(R8*2), Z28 \
	BROADCAST (lower), Z29 \
	BROADCAST (lower)(R8*1), Z30 \
	BROADCAST (lower)(R8*2), Z31
#define ROW(FMA, a, Za, Zb) \
	FMA Z0, a, Za \
	FMA Z1, a, Zb

// TERM adds one term of the inner sum to a tile, TERMS to two.
#define TERM(BROADCAST, FMA) \
	VMOVUPS (DI), Z0 \
	VMOVUPS 64(DI), Z1 \
	ADDQ skip-8(SP), DI \
	COLUMN(BROADCAST, AX, BX) \
	ROW(FMA, Z2, Z4, Z5) \
	ROW(FMA, Z3, Z6, Z7) \
	ROW(FMA, Z28, Z8, Z9) \
	ROW(FMA, Z29, Z10, Z11) \
	ROW(FMA, Z30, Z12, Z13) \
	ROW(FMA, Z31, Z14, Z15) \
	ADDQ R9, AX \
	ADDQ R9, BX

#define TERMS(BROADCAST, FMA) \
	TERM(BROADCAST, FMA) \
	COLUMN(BROADCAST, R14, R10) \
	ROW(FMA, Z2, Z16, Z17) \
	ROW(FMA, Z3, Z18, Z19) \
	ROW(FMA, Z28, Z20, Z21) \
	ROW(FMA, Z29, Z22, Z23) \
	ROW(FMA, Z30, Z24, Z25) \
	ROW(FMA, Z31, Z26, Z27) \
	ADDQ R9, R14 \
	ADDQ R9, R10

#define FOURTERMS(BROADCAST, FMA) \
	TERMS(BROADCAST, FMA) \
	TERMS(BROADCAST, FMA) \
	TERMS(BROADCAST, FMA) \
	TERMS(BROADCAST, FMA)

// ALPHA scales a row of the tile by alpha, broadcast in Z0. STORE writes one; GROW first adds that
// row of C, and SCALED beta (in Z1) times that row.
#define ALPHA(MUL, Za, Zb) \
	MUL Z0, Za, Za \
	MUL Z0, Zb, Zb

#define STORE(Za, Zb) \
	VMOVUPS Za, (SI) \
	VMOVUPS Zb, 64(SI) \
	ADDQ R11, SI

#define GROW(ADD, Za, Zb) \
	ADD (SI), Za, Za \
	ADD 64(SI), Zb, Zb \
	STORE(Za, Zb)

#define SCALED(ADD, MUL, Za, Zb) \
	MUL (SI), Z1, Z2 \
	MUL 64(SI), Z1, Z3 \
	ADD Z2, Za, Za \
	ADD Z3, Zb, Zb \
	STORE(Za, Zb)

#define ALPHA32(Za, Zb) ALPHA(VMULPS, Za, Zb)
#define ALPHA64(Za, Zb) ALPHA(VMULPD, Za, Zb)
#define GROW32(Za, Zb) GROW(VADDPS, Za, Zb)
#define GROW64(Za, Zb) GROW(VADDPD, Za, Zb)
#define SCALED32(Za, Zb) SCALED(VADDPS, VMULPS, Za, Zb)
#define SCALED64(Za, Zb) SCALED(VADDPD, VMULPD, Za, Zb)

// TILES is the body of both functions. SCALARS broadcasts alpha to Z0 and beta to Z1, and sets
// CX to beta's bits, its sign the highest, and AX to those of 1.
#define TILES(BROADCAST, FMA, ALPHA, GROW, SCALED, SCALARS, SHIFT) \
tile: \
	MOVQ R13, AX \
	LEAQ (R8)(R8*2), BX \
	ADDQ R13, BX \
	MOVQ R15, DI \
	CMPQ R12, $2 \
	JLT  single \
	TESTQ DX, DX \
	JNE  pair \
single: \
	MOVQ SI, CX \
	FETCH \
	SIX(CLEAR) \
	MOVQ kc+8(FP), CX \
one: \
	TERM(BROADCAST, FMA) \
	DECQ CX \
	JNE  one \
	SCALARS(BROADCAST) \
	SIX(ALPHA) \
	CMPQ CX, AX \
	JEQ  grow \
	ADDQ CX, CX \
	JNE  scaled \
	SIX(STORE) \
	JMP  next \
grow: \
	SIX(GROW) \
	JMP  next \
scaled: \
	SIX(SCALED) \
next: \
	MOVQ bStep+64(FP), AX \
	MOVQ cStep+88(FP), BX \
	ADDQ DX, R13 \
	SHLQ $SHIFT, AX \
	SHLQ $SHIFT, BX \
	ADDQ AX, R15 \
	ADDQ BX, SI \
	DECQ R12 \
	JNE  tile \
	JMP  done \
pair: \
	LEAQ (AX)(DX*1), R14 \
	LEAQ (BX)(DX*1), R10 \
	MOVQ SI, CX \
	FETCH \
	FETCH \
	SIX(CLEAR) \
	SIXLOW(CLEAR) \
	MOVQ kc+8(FP), CX \
	SUBQ $4, CX \
	JLT  tail \
	CMPQ ahead-16(SP), $0 \
	JNE  onward \
	CMPQ R8, $64 \
	JGE  far \
four: \
	FOURTERMS(BROADCAST, FMA) \
	SUBQ $4, CX \
	JGE  four \
	JMP  tail \
far: \
	AHEAD \
	FOURTERMS(BROADCAST, FMA) \
	SUBQ $4, CX \
	JGE  far \
	JMP  tail \
onward: \
	ONWARD \
	FOURTERMS(BROADCAST, FMA) \
	SUBQ $4, CX \
	JGE  onward \
tail: \
	ADDQ $4, CX \
	JEQ  out \
last: \
	TERMS(BROADCAST, FMA) \
	DECQ CX \
	JNE  last \
out: \
	SCALARS(BROADCAST) \
	SIX(ALPHA) \
	SIXLOW(ALPHA) \
	CMPQ CX, AX \
	JEQ  growPair \
	ADDQ CX, CX \
	JNE  scaledPair \
	SIX(STORE) \
	SIXLOW(STORE) \
	JMP  nextPair \
growPair: \
	SIX(GROW) \
	SIXLOW(GROW) \
	JMP  nextPair \
scaledPair: \
	SIX(SCALED) \
	SIXLOW(SCALED) \
nextPair: \
	LEAQ (R13)(DX*2), R13 \
	SUBQ $2, R12 \
	JNE  tile \
done: \
	VZEROUPPER \
	RET

#define SCALARS32(BROADCAST) \
	BROADCAST alpha+96(FP), Z0 \
	BROADCAST beta+100(FP), Z1 \
	MOVL beta+100(FP), CX \
	SHLQ $32, CX \
	MOVQ $0x3f80000000000000, AX

#define SCALARS64(BROADCAST) \
	BROADCAST alpha+96(FP), Z0 \
	BROADCAST beta+104(FP), Z1 \
	MOVQ beta+104(FP), CX \
	MOVQ $0x3ff0000000000000, AX

#define ARGUMENTS(SHIFT) \
	MOVQ tiles+0(FP), R12 \
	MOVQ a+16(FP), R13 \
	MOVQ rs+24(FP), R8 \
	MOVQ cs+32(FP), R9 \
	MOVQ aStep+40(FP), DX \
	MOVQ b+48(FP), R15 \
	MOVQ bs+56(FP), R10 \
	MOVQ c+72(FP), SI \
	MOVQ cr+80(FP), R11 \
	SHLQ $SHIFT, R8 \
	SHLQ $SHIFT, R9 \
	SHLQ $SHIFT, DX \
	SHLQ $SHIFT, R10 \
	SHLQ $SHIFT, R11 \
	MOVQ R10, skip-8(SP) \
	MOVQ bStep+64(FP), R10 \
	SHLQ $SHIFT, R10 \
	MOVQ R10, ahead-16(SP)

// func wideF32(tiles, kc int, a *float32, rs, cs, aStep int, b *float32, bs, bStep int, c *float32, cr, cStep int, alpha, beta float32)
TEXT ·wideF32(SB), NOSPLIT, $16-104
	ARGUMENTS(2)
	TILES(VBROADCASTSS, VFMADD231PS, ALPHA32, GROW32, SCALED32, SCALARS32, 2)

// func wideF64(tiles, kc int, a *float64, rs, cs, aStep int, b *float64, bs, bStep int, c *float64, cr, cStep int, alpha, beta float64)
TEXT ·wideF64(SB), NOSPLIT, $16-112
	ARGUMENTS(3)
	TILES(VBROADCASTSD, VFMADD231PD, ALPHA64, GROW64, SCALED64, SCALARS64, 3)
