//go:build !purego

#include "textflag.h"

// ROW adds a row of A at the current term, times the row of B in b0 and b1, to its two registers.
#define ROW(at, b0, b1, factor, left, right) \
	VBROADCASTSS at(AX), factor \
	VFMADD231PS b0, factor, left \
	VFMADD231PS b1, factor, right

// BEGIN reads the arguments.
#define BEGIN \
	MOVQ panels+0(FP), R12 \
	MOVQ a+24(FP), AX \
	MOVQ x+32(FP), DI \
	MOVQ c+48(FP), SI \
	MOVQ ldc+56(FP), R11 \
	SHLQ $2, R11 \
	LEAQ (R11)(R11*2), R14

// PANEL begins a panel, and BLOCK a block of it.
#define PANEL \
	MOVQ offsets+40(FP), R9 \
	MOVQ k+8(FP), DX \
	MOVBQZX add+64(FP), R8 \
	LEAQ (SI)(R11*4), BX

#define BLOCK \
	MOVQ block+16(FP), CX \
	CMPQ CX, DX \
	CMOVQGT DX, CX \
	SUBQ CX, DX

// CLEAR sets a register of C to zero, PLUS adds the numbers at a place to it, and PUT stores it there.
#define CLEAR(at, reg) VXORPS reg, reg, reg
#define CLEARWIDE(at, reg) VPXORD reg, reg, reg
#define PLUS(at, reg) VADDPS at, reg, reg
#define PUT(at, reg) VMOVUPS reg, at

// NARROW does something with each register of a tile of 6 × 16 elements, and WIDE of 8 × 32.
#define NARROW(OP) \
	OP((SI), Y4) \
	OP(32(SI), Y5) \
	OP((SI)(R11*1), Y6) \
	OP(32(SI)(R11*1), Y7) \
	OP((SI)(R11*2), Y8) \
	OP(32(SI)(R11*2), Y9) \
	OP((SI)(R14*1), Y10) \
	OP(32(SI)(R14*1), Y11) \
	OP((BX), Y12) \
	OP(32(BX), Y13) \
	OP((BX)(R11*1), Y14) \
	OP(32(BX)(R11*1), Y15)

#define WIDE(OP) \
	OP((SI), Z16) \
	OP(64(SI), Z17) \
	OP((SI)(R11*1), Z18) \
	OP(64(SI)(R11*1), Z19) \
	OP((SI)(R11*2), Z20) \
	OP(64(SI)(R11*2), Z21) \
	OP((SI)(R14*1), Z22) \
	OP(64(SI)(R14*1), Z23) \
	OP((BX), Z24) \
	OP(64(BX), Z25) \
	OP((BX)(R11*1), Z26) \
	OP(64(BX)(R11*1), Z27) \
	OP((BX)(R11*2), Z28) \
	OP(64(BX)(R11*2), Z29) \
	OP((BX)(R14*1), Z30) \
	OP(64(BX)(R14*1), Z31)

// END goes to the next block, the next panel, step rows behind BX, or returns.
#define END(step) \
	MOVQ $1, R8 \
	TESTQ DX, DX \
	JNE  block \
	LEAQ (BX)(R11*step), SI \
	DECQ R12 \
	JNE  panel \
	VZEROUPPER \
	RET

// func shiftedF32(panels, k, block int, a, x *float32, offsets *int, c *float32, ldc int, add bool)
// shiftedF32 sets C to Σ_p A_p B_p, or adds that, for tiles of 6 × 16 elements below one another,
// summed up in blocks of the inner sum: each element is the result of the operations of tileF32.
// A is in panels of 6 rows, which follow one another; row p of B begins offsets[p] bytes behind x.
//
//	AX   A at the current term      R9   its offset       CX  terms left of the block
//	R12  panels left                SI   C                DX  terms left after it
//	R11  bytes between rows of C    R14  three times as many
TEXT ·shiftedF32(SB), NOSPLIT, $0-65
	BEGIN

panel:
	PANEL

block:
	BLOCK
	NARROW(CLEAR)

term:
	MOVQ (R9), R10
	VMOVUPS (DI)(R10*1), Y0
	VMOVUPS 32(DI)(R10*1), Y1
	ROW(0, Y0, Y1, Y2, Y4, Y5)
	ROW(4, Y0, Y1, Y3, Y6, Y7)
	ROW(8, Y0, Y1, Y2, Y8, Y9)
	ROW(12, Y0, Y1, Y3, Y10, Y11)
	ROW(16, Y0, Y1, Y2, Y12, Y13)
	ROW(20, Y0, Y1, Y3, Y14, Y15)
	ADDQ $24, AX
	ADDQ $8, R9
	DECQ CX
	JNE  term
	TESTQ R8, R8
	JEQ  store
	NARROW(PLUS)

store:
	NARROW(PUT)
	END(2)

// func shiftedWideF32(panels, k, block int, a, x *float32, offsets *int, c *float32, ldc int, add bool)
// shiftedWideF32 is shiftedF32 for tiles of 8 × 32 elements.
TEXT ·shiftedWideF32(SB), NOSPLIT, $0-65
	BEGIN

panel:
	PANEL

block:
	BLOCK
	WIDE(CLEARWIDE)

term:
	MOVQ (R9), R10
	VMOVUPS (DI)(R10*1), Z0
	VMOVUPS 64(DI)(R10*1), Z1
	ROW(0, Z0, Z1, Z2, Z16, Z17)
	ROW(4, Z0, Z1, Z3, Z18, Z19)
	ROW(8, Z0, Z1, Z4, Z20, Z21)
	ROW(12, Z0, Z1, Z5, Z22, Z23)
	ROW(16, Z0, Z1, Z6, Z24, Z25)
	ROW(20, Z0, Z1, Z7, Z26, Z27)
	ROW(24, Z0, Z1, Z8, Z28, Z29)
	ROW(28, Z0, Z1, Z9, Z30, Z31)
	ADDQ $32, AX
	ADDQ $8, R9
	DECQ CX
	JNE  term
	TESTQ R8, R8
	JEQ  store
	WIDE(PLUS)

store:
	WIDE(PUT)
	END(4)
