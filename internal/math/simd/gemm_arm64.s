//go:build !purego

#include "textflag.h"

// One tile is 6 rows of 64 bytes of C, four registers each: V0 to V3, V4 to V7 … V20 to V23.
//
//	R0      tiles left                       R8, R15, R19  once, twice, 3 times the bytes between rows of A
//	R1, R2  A and B at the tile's first term R9            bytes between columns of A
//	R3      C                                R10, R12      bytes from a tile's A and B to the next
//	R4, R5  rows 0 and 3 of A at the term    R11           bytes between rows of B
//	R6      row of B at the term             R13, R14      bytes between rows of C, and on to the next tile
//	R7      terms left                       V24 to V27    row of B; V28 to V31 elements of A
//
// Rows of A that lie beside one another cost per term 24 FMLA, 2 or 3 loads of A, one of four
// registers of B, and 4 instructions for addresses and the loop: 31 or 32 instructions
// for 192 (float32) or 96 (float64) floating-point operations. By the vendors' optimisation
// guides FMLA issues 2 a cycle on Neoverse N1 and 4 on V1 and on Apple's large cores, so
// that FMLA alone takes 12, 6 and 6 cycles a term: at most 16, 32 and 32 operations a cycle in
// float32, half in float64. This is expected and was not measured.
//
// The assembler lacks products of a vector with one element, and sums: they are encoded below.

// F32_i and F64_i are FMLA (by element) with element i; the registers are added by ROW.
#define F32_0 0x4F801000
#define F32_1 0x4FA01000
#define F32_2 0x4F801800
#define F32_3 0x4FA01800
#define F64_0 0x4FC01000
#define F64_1 0x4FC01800

// FMUL with element 0, and FADD.
#define MUL32 0x4F809000
#define MUL64 0x4FC09000
#define ADD32 0x4E20D400
#define ADD64 0x4E60D400

// OP is Vd = Vn op Vm, or for FMLA Vd + Vn·Vm.
#define OP(op, m, n, d) WORD $((op) | ((m)<<16) | ((n)<<5) | (d))

// ROW adds the row of B times an element of Vm to the row of the tile from Vd.
#define ROW(op, m, d) \
	OP(op, m, 24, d) \
	OP(op, m, 25, d+1) \
	OP(op, m, 26, d+2) \
	OP(op, m, 27, d+3)

#define LINE VLD1 (R6), [V24.B16, V25.B16, V26.B16, V27.B16]

// BESIDE32 and BESIDE64 add a term where the rows of A lie beside one another.
#define BESIDE32 \
	LINE \
	FMOVQ (R4), F28 \
	FMOVD 16(R4), F29 \
	ADD R11, R6 \
	ADD R9, R4 \
	ROW(F32_0, 28, 0) \
	ROW(F32_1, 28, 4) \
	ROW(F32_2, 28, 8) \
	ROW(F32_3, 28, 12) \
	ROW(F32_0, 29, 16) \
	ROW(F32_1, 29, 20)

#define BESIDE64 \
	LINE \
	FMOVQ (R4), F28 \
	FMOVQ 16(R4), F29 \
	FMOVQ 32(R4), F30 \
	ADD R11, R6 \
	ADD R9, R4 \
	ROW(F64_0, 28, 0) \
	ROW(F64_1, 28, 4) \
	ROW(F64_0, 29, 8) \
	ROW(F64_1, 29, 12) \
	ROW(F64_0, 30, 16) \
	ROW(F64_1, 30, 20)

// APART adds a term where they do not.
#define APART(LOAD, op) \
	LINE \
	LOAD (R4), F28 \
	LOAD (R4)(R8), F29 \
	LOAD (R4)(R15), F30 \
	LOAD (R5), F31 \
	ADD R11, R6 \
	ADD R9, R4 \
	ROW(op, 28, 0) \
	ROW(op, 29, 4) \
	LOAD (R5)(R8), F28 \
	LOAD (R5)(R15), F29 \
	ADD R9, R5 \
	ROW(op, 30, 8) \
	ROW(op, 31, 12) \
	ROW(op, 28, 16) \
	ROW(op, 29, 20)

// SIX does something with each row of the tile.
#define SIX(EACH) \
	EACH(0, V0, V1, V2, V3) \
	EACH(4, V4, V5, V6, V7) \
	EACH(8, V8, V9, V10, V11) \
	EACH(12, V12, V13, V14, V15) \
	EACH(16, V16, V17, V18, V19) \
	EACH(20, V20, V21, V22, V23)

#define CLEAR(d, Va, Vb, Vc, Vd) \
	VEOR Va.B16, Va.B16, Va.B16 \
	VEOR Vb.B16, Vb.B16, Vb.B16 \
	VEOR Vc.B16, Vc.B16, Vc.B16 \
	VEOR Vd.B16, Vd.B16, Vd.B16

// ALPHA scales the row from Vd by alpha, in V28.
#define ALPHA(op, d) \
	OP(op, 28, d, d) \
	OP(op, 28, d+1, d+1) \
	OP(op, 28, d+2, d+2) \
	OP(op, 28, d+3, d+3)

// STORE writes one row of the tile; GROW first adds that row of C, and SCALED beta (in V29)
// times that row.
#define STORE(d, Va, Vb, Vc, Vd) \
	VST1 [Va.B16, Vb.B16, Vc.B16, Vd.B16], (R3) \
	ADD R13, R3

#define SUM(add, d) \
	OP(add, d, 24, d) \
	OP(add, d+1, 25, d+1) \
	OP(add, d+2, 26, d+2) \
	OP(add, d+3, 27, d+3)

#define GROW(add, d, Va, Vb, Vc, Vd) \
	VLD1 (R3), [V24.B16, V25.B16, V26.B16, V27.B16] \
	SUM(add, d) \
	STORE(d, Va, Vb, Vc, Vd)

#define SCALED(add, mul, d, Va, Vb, Vc, Vd) \
	VLD1 (R3), [V24.B16, V25.B16, V26.B16, V27.B16] \
	OP(mul, 29, 24, 24) \
	OP(mul, 29, 25, 25) \
	OP(mul, 29, 26, 26) \
	OP(mul, 29, 27, 27) \
	SUM(add, d) \
	STORE(d, Va, Vb, Vc, Vd)

#define ALPHA32(d, Va, Vb, Vc, Vd) ALPHA(MUL32, d)
#define ALPHA64(d, Va, Vb, Vc, Vd) ALPHA(MUL64, d)
#define GROW32(d, Va, Vb, Vc, Vd) GROW(ADD32, d, Va, Vb, Vc, Vd)
#define GROW64(d, Va, Vb, Vc, Vd) GROW(ADD64, d, Va, Vb, Vc, Vd)
#define SCALED32(d, Va, Vb, Vc, Vd) SCALED(ADD32, MUL32, d, Va, Vb, Vc, Vd)
#define SCALED64(d, Va, Vb, Vc, Vd) SCALED(ADD64, MUL64, d, Va, Vb, Vc, Vd)

#define SCALARS32 \
	FMOVS alpha+96(FP), F28 \
	FMOVS beta+100(FP), F29

#define SCALARS64 \
	FMOVD alpha+96(FP), F28 \
	FMOVD beta+104(FP), F29

// TILES is the body of both functions, for numbers of 1<<SHIFT bytes. SCALARS loads alpha into F28
// and beta into F29.
#define TILES(SHIFT, BESIDE, LOAD, FMLA, SCALARS, COMPARE, ALPHA, GROW, SCALED) \
	MOVD tiles+0(FP), R0 \
	MOVD a+16(FP), R1 \
	MOVD rs+24(FP), R8 \
	MOVD cs+32(FP), R9 \
	MOVD aStep+40(FP), R10 \
	MOVD b+48(FP), R2 \
	MOVD bs+56(FP), R11 \
	MOVD bStep+64(FP), R12 \
	MOVD c+72(FP), R3 \
	MOVD cr+80(FP), R13 \
	MOVD cStep+88(FP), R14 \
	LSL $SHIFT, R8, R8 \
	LSL $SHIFT, R9, R9 \
	LSL $SHIFT, R10, R10 \
	LSL $SHIFT, R11, R11 \
	LSL $SHIFT, R12, R12 \
	LSL $SHIFT, R13, R13 \
	LSL $SHIFT, R14, R14 \
	ADD R8, R8, R15 \
	ADD R8, R15, R19 \
tile: \
	SIX(CLEAR) \
	MOVD R1, R4 \
	ADD R19, R1, R5 \
	MOVD R2, R6 \
	MOVD kc+8(FP), R7 \
	CMP $(1<<SHIFT), R8 \
	BNE apart \
beside: \
	BESIDE \
	SUBS $1, R7 \
	BNE beside \
	B out \
apart: \
	APART(LOAD, FMLA) \
	SUBS $1, R7 \
	BNE apart \
out: \
	SCALARS \
	SIX(ALPHA) \
	LOAD $1.0, F30 \
	COMPARE F30, F29 \
	BEQ grow \
	COMPARE $(0.0), F29 \
	BNE scaled \
	SIX(STORE) \
	B next \
grow: \
	SIX(GROW) \
	B next \
scaled: \
	SIX(SCALED) \
next: \
	ADD R10, R1 \
	ADD R12, R2 \
	ADD R14, R3 \
	SUBS $1, R0 \
	BNE tile \
	RET

// func tileF32(tiles, kc int, a *float32, rs, cs, aStep int, b *float32, bs, bStep int, c *float32, cr, cStep int, alpha, beta float32)
TEXT ·tileF32(SB), NOSPLIT, $0-104
	TILES(2, BESIDE32, FMOVS, F32_0, SCALARS32, FCMPS, ALPHA32, GROW32, SCALED32)

// func tileF64(tiles, kc int, a *float64, rs, cs, aStep int, b *float64, bs, bStep int, c *float64, cr, cStep int, alpha, beta float64)
TEXT ·tileF64(SB), NOSPLIT, $0-112
	TILES(3, BESIDE64, FMOVD, F64_0, SCALARS64, FCMPD, ALPHA64, GROW64, SCALED64)
