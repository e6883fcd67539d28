//go:build !purego

#include "textflag.h"

// One tile is 6 rows of two registers of C: Y4 and Y5, Y6 and Y7 … Y14 and Y15.
//
//	AX, BX  rows 0 and 3 of A at the current term    R8  bytes between rows of A
//	DI      row of B at the current term             R9  bytes between columns of A
//	CX      terms left                               R10 bytes between rows of B
//	SI      C                                        R11 bytes between rows of C
//	R12     tiles left                               DX  bytes from a tile's A to the next
//	R13     A at the tile's first term               R15 B at its first term

// SIX does something with each row of the tile.
#define SIX(OP) \
	OP(Y4, Y5) \
	OP(Y6, Y7) \
	OP(Y8, Y9) \
	OP(Y10, Y11) \
	OP(Y12, Y13) \
	OP(Y14, Y15)

#define CLEAR(Ya, Yb) \
	VXORPS Ya, Ya, Ya \
	VXORPS Yb, Yb, Yb

// FETCH asks for the tile's part of C while its sum is under way.
#define FETCH \
	LEAQ (SI)(R11*2), CX \
	PREFETCHT0 (SI) \
	PREFETCHT0 (SI)(R11*1) \
	PREFETCHT0 (CX) \
	PREFETCHT0 (CX)(R11*1) \
	LEAQ (CX)(R11*2), CX \
	PREFETCHT0 (CX) \
	PREFETCHT0 (CX)(R11*1)

// AHEAD asks for the next tile's A at the current term, into the second cache: in
// the first, rows a multiple of 4096 bytes apart would push each other out.
#define AHEAD \
	LEAQ (AX)(DX*1), R14 \
	PREFETCHT1 (R14) \
	PREFETCHT1 (R14)(R8*1) \
	PREFETCHT1 (R14)(R8*2) \
	LEAQ (BX)(DX*1), R14 \
	PREFETCHT1 (R14) \
	PREFETCHT1 (R14)(R8*1) \
	PREFETCHT1 (R14)(R8*2)

// ONWARD asks for four rows of the next column's B, into the second cache.
#define ONWARD \
	MOVQ bStep+64(FP), R14 \
	SHLQ $SHIFT, R14 \
	ADDQ DI, R14 \
	PREFETCHT1 (R14) \
	PREFETCHT1 64(R14) \
	PREFETCHT1 128(R14) \
	PREFETCHT1 192(R14)

// TERM adds one term of the inner sum, and ROW an element of A times the row of B to a row of the tile.
#define ROW(a, Ya, Yb) \
	FMA Y0, a, Ya \
	FMA Y1, a, Yb
#define TERM \
	VMOVUPS (DI), Y0 \
	VMOVUPS 32(DI), Y1 \
	BROADCAST (AX), Y2 \
	BROADCAST (AX)(R8*1), Y3 \
	ROW(Y2, Y4, Y5) \
	ROW(Y3, Y6, Y7) \
	BROADCAST (AX)(R8*2), Y2 \
	BROADCAST (BX), Y3 \
	ROW(Y2, Y8, Y9) \
	ROW(Y3, Y10, Y11) \
	BROADCAST (BX)(R8*1), Y2 \
	BROADCAST (BX)(R8*2), Y3 \
	ADDQ R9, AX \
	ADDQ R9, BX \
	ADDQ R10, DI \
	ROW(Y2, Y12, Y13) \
	ROW(Y3, Y14, Y15)

// ALPHA scales a row of the tile by alpha, broadcast in Y0. STORE writes one; GROW first adds that
// row of C, and SCALED beta (in Y1) times that row.
#define ALPHA(Ya, Yb) \
	MUL Y0, Ya, Ya \
	MUL Y0, Yb, Yb

#define STORE(Ya, Yb) \
	VMOVUPS Ya, (SI) \
	VMOVUPS Yb, 32(SI) \
	ADDQ R11, SI

#define GROW(Ya, Yb) \
	ADD (SI), Ya, Ya \
	ADD 32(SI), Yb, Yb \
	STORE(Ya, Yb)

#define SCALED(Ya, Yb) \
	MUL (SI), Y1, Y2 \
	MUL 32(SI), Y1, Y3 \
	ADD Y2, Ya, Ya \
	ADD Y3, Yb, Yb \
	STORE(Ya, Yb)

// JUMP_BETA goes on at grow where beta is 1, at scaled where it is neither 1 nor 0.
#define tile ·tileF32
#define ARGS 104
#define SHIFT 2
#define BROADCAST VBROADCASTSS
#define FMA VFMADD231PS
#define MUL VMULPS
#define ADD VADDPS
#define BETA_AT beta+100(FP)
#define JUMP_BETA \
	MOVL beta+100(FP), CX \
	CMPL CX, $0x3f800000 \
	JEQ  grow \
	ADDL CX, CX \
	JNE  scaled

#include "gemm_tile_amd64.h"

#undef tile
#undef ARGS
#undef SHIFT
#undef BROADCAST
#undef FMA
#undef MUL
#undef ADD
#undef BETA_AT
#undef JUMP_BETA

#define tile ·tileF64
#define ARGS 112
#define SHIFT 3
#define BROADCAST VBROADCASTSD
#define FMA VFMADD231PD
#define MUL VMULPD
#define ADD VADDPD
#define BETA_AT beta+104(FP)
#define JUMP_BETA \
	MOVQ beta+104(FP), CX \
	MOVQ $0x3ff0000000000000, AX \
	CMPQ CX, AX \
	JEQ  grow \
	ADDQ CX, CX \
	JNE  scaled

#include "gemm_tile_amd64.h"

// The packers of rows that lie along the panels. For each of kc lines, ld apart,
// panels pieces of one panel's width, moved by MOVE, go to places step apart; the line sixteen
// further on (R13) is asked for. ld is in R8 and step in R9, in bytes.
#define PIECES(WIDTH, MOVE) \
	MOVQ dst+0(FP), DI \
	MOVQ src+16(FP), SI \
	MOVQ panels+32(FP), DX \
	MOVQ kc+40(FP), CX \
	MOVQ R8, R13 \
	SHLQ $4, R13 \
line: \
	MOVQ DI, R10 \
	MOVQ SI, R11 \
	MOVQ DX, R12 \
piece: \
	PREFETCHT0 (R11)(R13*1) \
	MOVE \
	ADDQ $WIDTH, R11 \
	ADDQ R9, R10 \
	DECQ R12 \
	JNE  piece \
	ADDQ R8, SI \
	ADDQ $WIDTH, DI \
	DECQ CX \
	JNE  line \
	VZEROUPPER \
	RET

#define MOVE24 \
	VMOVUPS (R11), X0 \
	MOVQ 16(R11), AX \
	VMOVUPS X0, (R10) \
	MOVQ AX, 16(R10)

#define MOVE48 \
	VMOVUPD (R11), Y0 \
	VMOVUPD 32(R11), X1 \
	VMOVUPD Y0, (R10) \
	VMOVUPD X1, 32(R10)

#define MOVE64 \
	VMOVUPS (R11), Y0 \
	VMOVUPS 32(R11), Y1 \
	VMOVUPS Y0, (R10) \
	VMOVUPS Y1, 32(R10)

#define MOVE128 \
	VMOVUPS (R11), Z0 \
	VMOVUPS 64(R11), Z1 \
	PREFETCHT0 64(R11)(R13*1) \
	VMOVUPS Z0, (R10) \
	VMOVUPS Z1, 64(R10)

// FOURROWS packs four rows, of numbers of 1<<SHIFT bytes: QUAD turns four numbers of each, at SI, into
// four columns and stores them at DI.
#define FOURROWS(SHIFT, WIDTH, QUAD) \
	MOVQ dst+0(FP), DI \
	MOVQ w+8(FP), R10 \
	MOVQ src+16(FP), SI \
	MOVQ ld+24(FP), R8 \
	MOVQ quads+32(FP), CX \
	SHLQ $SHIFT, R10 \
	SHLQ $SHIFT, R8 \
	LEAQ (R8)(R8*2), R9 \
	LEAQ (R10)(R10*2), R11 \
quad: \
	QUAD \
	ADDQ $WIDTH, SI \
	LEAQ (DI)(R10*4), DI \
	DECQ CX \
	JNE  quad

// LOADS and STORES move four registers.
#define LOADS(a, b, c, d) \
	VMOVUPS (SI), a \
	VMOVUPS (SI)(R8*1), b \
	VMOVUPS (SI)(R8*2), c \
	VMOVUPS (SI)(R9*1), d
#define STORES(a, b, c, d) \
	VMOVUPS a, (DI) \
	VMOVUPS b, (DI)(R10*1) \
	VMOVUPS c, (DI)(R10*2) \
	VMOVUPS d, (DI)(R11*1)

#define QUAD32 \
	LOADS(X0, X1, X2, X3) \
	VUNPCKLPS X1, X0, X8 \
	VUNPCKHPS X1, X0, X9 \
	VUNPCKLPS X3, X2, X10 \
	VUNPCKHPS X3, X2, X11 \
	VUNPCKLPD X10, X8, X4 \
	VUNPCKHPD X10, X8, X5 \
	VUNPCKLPD X11, X9, X6 \
	VUNPCKHPD X11, X9, X7 \
	STORES(X4, X5, X6, X7)

#define QUAD64 \
	LOADS(Y0, Y1, Y2, Y3) \
	VUNPCKLPD Y1, Y0, Y4 \
	VUNPCKHPD Y1, Y0, Y5 \
	VUNPCKLPD Y3, Y2, Y6 \
	VUNPCKHPD Y3, Y2, Y7 \
	VPERM2F128 $0x20, Y6, Y4, Y0 \
	VPERM2F128 $0x20, Y7, Y5, Y1 \
	VPERM2F128 $0x31, Y6, Y4, Y2 \
	VPERM2F128 $0x31, Y7, Y5, Y3 \
	STORES(Y0, Y1, Y2, Y3)

// func packRowsF32(dst *float32, w int, src *float32, ld, quads int)
// dst[p*w+r] = src[r*ld+p] for r < 4 and p < 4·quads.
TEXT ·packRowsF32(SB), NOSPLIT, $0-40
	FOURROWS(2, 16, QUAD32)
	RET

// func packRowsF64(dst *float64, w int, src *float64, ld, quads int)
// dst[p*w+r] = src[r*ld+p] for r < 4 and p < 4·quads.
TEXT ·packRowsF64(SB), NOSPLIT, $0-40
	FOURROWS(3, 32, QUAD64)
	VZEROUPPER
	RET

// func packSixF32(dst *float32, step int, src *float32, ld, panels, kc int)
// dst[i*step+p*6+r] = src[p*ld+i*6+r] for i < panels, p < kc, r < 6.
TEXT ·packSixF32(SB), NOSPLIT, $0-48
	MOVQ step+8(FP), R9
	MOVQ ld+24(FP), R8
	SHLQ $2, R9
	SHLQ $2, R8
	PIECES(24, MOVE24)

// func packSixF64(dst *float64, step int, src *float64, ld, panels, kc int)
// dst[i*step+p*6+r] = src[p*ld+i*6+r] for i < panels, p < kc, r < 6.
TEXT ·packSixF64(SB), NOSPLIT, $0-48
	MOVQ step+8(FP), R9
	MOVQ ld+24(FP), R8
	SHLQ $3, R9
	SHLQ $3, R8
	PIECES(48, MOVE48)

// func packLines(dst unsafe.Pointer, step int, src unsafe.Pointer, ld, panels, kc int)
// The same for pieces of 64 bytes, with step and ld in bytes.
TEXT ·packLines(SB), NOSPLIT, $0-48
	MOVQ step+8(FP), R9
	MOVQ ld+24(FP), R8
	PIECES(64, MOVE64)

// func packWide(dst unsafe.Pointer, step int, src unsafe.Pointer, ld, panels, kc int)
// packLines for pieces of 128 bytes, with AVX-512.
TEXT ·packWide(SB), NOSPLIT, $0-48
	MOVQ step+8(FP), R9
	MOVQ ld+24(FP), R8
	PIECES(128, MOVE128)
