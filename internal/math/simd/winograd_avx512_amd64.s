//go:build !purego

#include "textflag.h"

// SIXTEEN does something with each row of a tile of 16 rows and one register.
#define SIXTEEN(OP) \
	OP(0, Z16) \
	OP(1, Z17) \
	OP(2, Z18) \
	OP(3, Z19) \
	OP(4, Z20) \
	OP(5, Z21) \
	OP(6, Z22) \
	OP(7, Z23) \
	OP(8, Z24) \
	OP(9, Z25) \
	OP(10, Z26) \
	OP(11, Z27) \
	OP(12, Z28) \
	OP(13, Z29) \
	OP(14, Z30) \
	OP(15, Z31)

#define CLEAR(i, reg) VPXORD reg, reg, reg
#define PLUS(i, reg) VADDPS (64*i)(SI), reg, reg
#define STORE(i, reg) VMOVUPS reg, (64*i)(SI)

// TIMES adds a term: element i of A, at AX, times the row of B in Z0.
#define TIMES(i, reg) VFMADD231PS.BCST (4*i)(AX), Z0, reg

// func tallF32(panels, k int, a, b, c *float32, add bool)
// C = Σ_p A_p B_p, or that and C, for tiles of 16 × 16 elements below one another: each element is
// the result of the operations of tileF32. A is in panels of 16 rows; they follow one another, like
// the rows of B and C.
TEXT ·tallF32(SB), NOSPLIT, $0-41
	MOVQ panels+0(FP), R12
	MOVQ a+16(FP), AX
	MOVQ c+32(FP), SI
	MOVBQZX add+40(FP), R8

panel:
	MOVQ b+24(FP), DI
	MOVQ k+8(FP), CX
	SIXTEEN(CLEAR)

term:
	VMOVUPS (DI), Z0
	PREFETCHT0 6144(AX)
	SIXTEEN(TIMES)
	ADDQ $64, AX
	ADDQ $64, DI
	DECQ CX
	JNE  term
	TESTQ R8, R8
	JEQ  store
	SIXTEEN(PLUS)

store:
	SIXTEEN(STORE)
	ADDQ $1024, SI
	DECQ R12
	JNE  panel
	VZEROUPPER
	RET

// FEW adds one term of the inner sums of two points to 16 rows, one to a lane, of four columns: Z16 …
// Z19 of the one and Z20 … Z23 of the other.
//
//	AX  A of the first point at the current term     R10  bytes from there to the second's
//	DI  row of B                                     R11  the same of B
#define FIRST(i, reg) VFMADD231PS.BCST (4*i)(DI), Z0, reg
#define SECOND(i, reg) VFMADD231PS.BCST (4*i)(DI)(R11*1), Z1, reg
#define FEW \
	VMOVUPS (AX), Z0 \
	VMOVUPS (AX)(R10*1), Z1 \
	FOUR(FIRST, Z16, Z17, Z18, Z19) \
	FOUR(SECOND, Z20, Z21, Z22, Z23) \
	ADDQ $64, AX \
	ADDQ $64, DI

// QUADS turns four columns into four registers of four rows each, row i + 4j in quarter j of the
// i-th.
#define QUADS(a, b, c, d) \
	VUNPCKLPS b, a, Z2 \
	VUNPCKHPS b, a, Z3 \
	VUNPCKLPS d, c, Z4 \
	VUNPCKHPS d, c, Z5 \
	VUNPCKLPD Z4, Z2, a \
	VUNPCKHPD Z4, Z2, b \
	VUNPCKLPD Z5, Z3, c \
	VUNPCKHPD Z5, Z3, d

// FOUR does something with the registers of a point, and PLUSROWS adds the four rows i, i + 4 … of
// C to one of QUADS.
#define FOUR(OP, a, b, c, d) \
	OP(0, a) \
	OP(1, b) \
	OP(2, c) \
	OP(3, d)

#define PLUSROWS(i, reg) \
	VMOVUPS (64*i)(SI), X2 \
	VINSERTF32X4 $1, (64*i+256)(SI), Z2, Z2 \
	VINSERTF32X4 $2, (64*i+512)(SI), Z2, Z2 \
	VINSERTF32X4 $3, (64*i+768)(SI), Z2, Z2 \
	VADDPS Z2, reg, reg

// PUT stores them.
#define PUT(i, reg) \
	VEXTRACTF32X4 $0, reg, (64*i)(SI) \
	VEXTRACTF32X4 $1, reg, (64*i+256)(SI) \
	VEXTRACTF32X4 $2, reg, (64*i+512)(SI) \
	VEXTRACTF32X4 $3, reg, (64*i+768)(SI)

// func fewF32(k int, a *float32, aStep int, b *float32, bStep int, c *float32, cStep int, add bool)
// fewF32 is tallF32 of a tile's first four columns, for all points: their operands lie steps apart. It leaves
// the other columns as they are.
TEXT ·fewF32(SB), NOSPLIT, $0-57
	MOVQ a+8(FP), R12
	MOVQ aStep+16(FP), R10
	MOVQ b+24(FP), R13
	MOVQ bStep+32(FP), R11
	MOVQ c+40(FP), SI
	MOVQ cStep+48(FP), R9
	MOVBQZX add+56(FP), R8
	SHLQ $2, R9
	SHLQ $2, R10
	SHLQ $2, R11
	MOVQ $18, DX

pair:
	MOVQ R12, AX
	MOVQ R13, DI
	MOVQ k+0(FP), CX
	FOUR(CLEAR, Z16, Z17, Z18, Z19)
	FOUR(CLEAR, Z20, Z21, Z22, Z23)

term:
	FEW
	DECQ CX
	JNE  term
	QUADS(Z16, Z17, Z18, Z19)
	QUADS(Z20, Z21, Z22, Z23)
	TESTQ R8, R8
	JEQ  store
	FOUR(PLUSROWS, Z16, Z17, Z18, Z19)
	ADDQ R9, SI
	FOUR(PLUSROWS, Z20, Z21, Z22, Z23)
	SUBQ R9, SI

store:
	FOUR(PUT, Z16, Z17, Z18, Z19)
	ADDQ R9, SI
	FOUR(PUT, Z20, Z21, Z22, Z23)
	ADDQ R9, SI
	LEAQ (R12)(R10*2), R12
	LEAQ (R13)(R11*2), R13
	DECQ DX
	JNE  pair
	VZEROUPPER
	RET

#define WIDE 64
#include "zmm_amd64.h"

#include "winograd_amd64.h"

// The transforms of Winograd's convolution for sixteen tiles at a time, one to a lane: each element
// is the result of the operations of winogradIn and winogradOut.
//
//	AX  the offsets of the tiles      BX  the row of the plane
//	DI  room for what is turned halfway

// TILES sets R8 … R11 to the offsets of the four tiles that share a place in the quarters of a
// register.
#define TILES(at) \
	MOVQ (at)(AX), R8 \
	MOVQ (at+32)(AX), R9 \
	MOVQ (at+64)(AX), R10 \
	MOVQ (at+96)(AX), R11

// INSERT completes a register whose first quarter is loaded.
#define INSERT(at, reg) \
	VINSERTF32X4 $1, (at)(BX)(R9*1), reg, reg \
	VINSERTF32X4 $2, (at)(BX)(R10*1), reg, reg \
	VINSERTF32X4 $3, (at)(BX)(R11*1), reg, reg

// LOAD reads the first four numbers of rows of four tiles, and the last four, and PLACE writes four.
#define LOAD(at, Xa, Za, Xb, Zb) \
	TILES(at) \
	VMOVUPS (BX)(R8*1), Xa \
	VMOVUPS 8(BX)(R8*1), Xb \
	INSERT(0, Za) \
	INSERT(8, Zb)

#define PLACE(at, Xa, Za) \
	TILES(at) \
	VMOVUPS Xa, (BX)(R8*1) \
	VEXTRACTF32X4 $1, Za, (BX)(R9*1) \
	VEXTRACTF32X4 $2, Za, (BX)(R10*1) \
	VEXTRACTF32X4 $3, Za, (BX)(R11*1)

// func winogradInWide(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)
TEXT ·winogradInWide(SB), NOSPLIT, $0-48
	MOVQ plane+16(FP), BX
	MOVQ offsets+24(FP), AX
	MOVQ stride+32(FP), DX
	MOVQ room+40(FP), DI
	FACTORS(8)
	MOVQ $6, CX

row:
	LOAD(0, X0, Z0, X16, Z16)
	LOAD(8, X1, Z1, X17, Z17)
	LOAD(16, X2, Z2, X18, Z18)
	LOAD(24, X3, Z3, X19, Z19)
	FOURS
	VUNPCKHPS Z17, Z16, Z6
	VUNPCKHPS Z19, Z18, Z7
	VUNPCKLPD Z7, Z6, Z4
	VUNPCKHPD Z7, Z6, Z5
	SPREAD
	TURN
	ADDQ $(6*WIDE), DI
	ADDQ DX, BX
	DECQ CX
	JNE  row

	SPREADCOLUMNS
	VZEROUPPER
	RET

// func winogradOutWide(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)
TEXT ·winogradOutWide(SB), NOSPLIT, $0-48
	MOVQ src+24(FP), SI
	MOVQ step+32(FP), DX
	MOVQ room+40(FP), DI
	FACTORS(16)
	STEPS
	MOVQ $6, CX
	GATHERCOLUMNS
	MOVQ plane+0(FP), BX
	MOVQ offsets+8(FP), AX
	MOVQ stride+16(FP), DX
	MOVQ room+40(FP), DI
	MOVQ $4, CX

row:
	TURNED
	GATHER
	FOURSBACK
	PLACE(0, X0, Z0)
	PLACE(8, X5, Z5)
	PLACE(16, X6, Z6)
	PLACE(24, X7, Z7)
	ADDQ $(6*WIDE), DI
	ADDQ DX, BX
	DECQ CX
	JNE  row
	VZEROUPPER
	RET

// EXPAND multiplies three numbers by the inner four rows of G, as winogradRows does; the outer two
// are g0 and g2. Z27 … Z31 hold −2/3, √2/3, 1/3, 1/6 and √2/6.
#define EXPAND(g0, g1, g2, to1, to2, to3, to4) \
	VMULPD Z27, g0, Z24 \
	VMULPD Z29, g2, Z25 \
	VMULPD Z30, g0, Z26 \
	VMULPD Z28, g1, to1 \
	VMULPD Z31, g1, to4 \
	VSUBPD Z25, Z24, Z24 \
	VADDPD Z25, Z26, Z26 \
	VADDPD to1, Z24, to2 \
	VSUBPD to1, Z24, to1 \
	VADDPD to4, Z26, to3 \
	VSUBPD to4, Z26, to4

// ROUNDED stores eight numbers of an entry as float32.
#define ROUNDED(from, to) \
	VCVTPD2PS from, Y24 \
	VMOVUPS Y24, to

// LINE stores the six entries of a row of G g Gᵀ, from AX on, of which Z g0 … g2 are those of G g.
#define LINE(g0, g1, g2) \
	EXPAND(g0, g1, g2, Z20, Z21, Z22, Z23) \
	ROUNDED(g0, (AX)) \
	ROUNDED(Z20, (AX)(DX*1)) \
	ROUNDED(Z21, (AX)(DX*2)) \
	ROUNDED(Z22, (AX)(R8*1)) \
	ROUNDED(Z23, (AX)(DX*4)) \
	ROUNDED(g2, (AX)(R9*1)) \
	ADDQ R10, AX

// func winogradExpand(dst *float32, step int, src *float32, halves int)
// winogradExpand sets entry ξ of the i-th of 16 kernels, ξ·step + i behind dst, to that of G g Gᵀ,
// where entry j of g is 16·j + i behind src; so for each half of 16 kernels, and for the next ones,
// 16 behind dst and 144 behind src.
TEXT ·winogradExpand(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ step+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ halves+24(FP), CX
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R8
	LEAQ (DX)(DX*4), R9
	LEAQ (R8)(R8*1), R10
	VBROADCASTSD ·winogradG+0(SB), Z27
	VBROADCASTSD ·winogradG+8(SB), Z28
	VBROADCASTSD ·winogradG+16(SB), Z29
	VBROADCASTSD ·winogradG+24(SB), Z30
	VBROADCASTSD ·winogradG+32(SB), Z31

half:
	VCVTPS2PD 0(SI), Z0
	VCVTPS2PD 192(SI), Z3
	VCVTPS2PD 384(SI), Z4
	EXPAND(Z0, Z3, Z4, Z8, Z11, Z14, Z17)
	VCVTPS2PD 64(SI), Z1
	VCVTPS2PD 256(SI), Z3
	VCVTPS2PD 448(SI), Z5
	EXPAND(Z1, Z3, Z5, Z9, Z12, Z15, Z18)
	VCVTPS2PD 128(SI), Z2
	VCVTPS2PD 320(SI), Z3
	VCVTPS2PD 512(SI), Z6
	EXPAND(Z2, Z3, Z6, Z10, Z13, Z16, Z19)
	MOVQ DI, AX
	LINE(Z0, Z1, Z2)
	LINE(Z8, Z9, Z10)
	LINE(Z11, Z12, Z13)
	LINE(Z14, Z15, Z16)
	LINE(Z17, Z18, Z19)
	LINE(Z4, Z5, Z6)
	ADDQ $32, SI
	ADDQ $32, DI
	TESTQ $1, CX
	JEQ  next
	ADDQ $512, SI
	PREFETCHT0 4608(SI)
	PREFETCHT0 4672(SI)
	PREFETCHT0 4736(SI)
	PREFETCHT0 4800(SI)
	PREFETCHT0 4864(SI)
	PREFETCHT0 4928(SI)
	PREFETCHT0 4992(SI)
	PREFETCHT0 5056(SI)
	PREFETCHT0 5120(SI)

next:
	DECQ CX
	JNE  half
	VZEROUPPER
	RET
