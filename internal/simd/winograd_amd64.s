//go:build !purego

#include "textflag.h"

// The transforms of Winograd's convolution for eight tiles at a time, one to a lane:
// see winograd.go for the matrices, of which a = √½.
//
//	R8 … R15  where the tiles of lanes 0 … 7 begin    BX  the row of the tiles
//	DI        room for what is turned halfway         DX  bytes between rows of a plane

// TILES sets R8 … R15 to the plane at BX and the offsets at AX.
#define TILES \
	MOVQ 0(AX), R8 \
	MOVQ 8(AX), R9 \
	MOVQ 16(AX), R10 \
	MOVQ 24(AX), R11 \
	MOVQ 32(AX), R12 \
	MOVQ 40(AX), R13 \
	MOVQ 48(AX), R14 \
	MOVQ 56(AX), R15 \
	ADDQ BX, R8 \
	ADDQ BX, R9 \
	ADDQ BX, R10 \
	ADDQ BX, R11 \
	ADDQ BX, R12 \
	ADDQ BX, R13 \
	ADDQ BX, R14 \
	ADDQ BX, R15

// SPREAD multiplies the six numbers in Y0 … Y5 by Bᵀ: the results are in Y0, Y11,
// Y6, Y1, Y9 and Y5. Y12 … Y15 hold 2, ½, 2½ and a.
#define SPREAD \
	VMOVAPS Y4, Y6 \
	VMOVAPS Y3, Y8 \
	VMOVAPS Y4, Y9 \
	VMOVAPS Y1, Y10 \
	VFNMADD231PS Y12, Y2, Y6 \
	VFNMADD231PS Y12, Y1, Y8 \
	VFNMADD231PS Y13, Y2, Y9 \
	VFMSUB231PS Y12, Y3, Y10 \
	VADDPS Y4, Y0, Y0 \
	VADDPS Y1, Y5, Y5 \
	VMOVAPS Y6, Y11 \
	VMOVAPS Y9, Y1 \
	VFNMADD231PS Y14, Y2, Y0 \
	VFNMADD231PS Y14, Y3, Y5 \
	VFMADD231PS Y15, Y8, Y11 \
	VFNMADD231PS Y15, Y8, Y6 \
	VFMADD231PS Y15, Y10, Y1 \
	VFNMADD231PS Y15, Y10, Y9

// func winogradIn(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)
// The transforms of the 6×6 tiles at the offsets, in bytes, of a plane: entry ξ goes
// to dst[ξ*step+lane]. step and stride are in bytes.
TEXT ·winogradIn(SB), NOSPLIT, $0-48
	MOVQ plane+16(FP), BX
	MOVQ offsets+24(FP), AX
	MOVQ stride+32(FP), DX
	MOVQ room+40(FP), DI
	TILES
	VBROADCASTSS ·winogradFactors+0(SB), Y12
	VBROADCASTSS ·winogradFactors+4(SB), Y13
	VBROADCASTSS ·winogradFactors+8(SB), Y14
	VBROADCASTSS ·winogradFactors+12(SB), Y15
	XORQ BX, BX
	MOVQ $6, CX

row:
	VMOVUPS (R8)(BX*1), X0
	VMOVUPS (R9)(BX*1), X1
	VMOVUPS (R10)(BX*1), X2
	VMOVUPS (R11)(BX*1), X3
	VINSERTF128 $1, (R12)(BX*1), Y0, Y0
	VINSERTF128 $1, (R13)(BX*1), Y1, Y1
	VINSERTF128 $1, (R14)(BX*1), Y2, Y2
	VINSERTF128 $1, (R15)(BX*1), Y3, Y3
	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVSD 16(R8)(BX*1), X4
	VMOVSD 16(R12)(BX*1), X5
	VMOVSD 16(R10)(BX*1), X6
	VMOVSD 16(R14)(BX*1), X7
	VMOVHPS 16(R9)(BX*1), X4, X4
	VMOVHPS 16(R13)(BX*1), X5, X5
	VMOVHPS 16(R11)(BX*1), X6, X6
	VMOVHPS 16(R15)(BX*1), X7, X7
	VINSERTF128 $1, X5, Y4, Y8
	VINSERTF128 $1, X7, Y6, Y6
	VSHUFPS $0x88, Y6, Y8, Y4
	VSHUFPS $0xDD, Y6, Y8, Y5
	SPREAD
	VMOVUPS Y0, (DI)
	VMOVUPS Y11, 32(DI)
	VMOVUPS Y6, 64(DI)
	VMOVUPS Y1, 96(DI)
	VMOVUPS Y9, 128(DI)
	VMOVUPS Y5, 160(DI)
	ADDQ $192, DI
	ADDQ DX, BX
	DECQ CX
	JNE  row

	MOVQ dst+0(FP), SI
	MOVQ step+8(FP), DX
	MOVQ room+40(FP), DI
	LEAQ (DX)(DX*2), R8
	ADDQ R8, R8
	LEAQ (R8)(R8*2), R9
	MOVQ $6, CX

column:
	VMOVUPS (DI), Y0
	VMOVUPS 192(DI), Y1
	VMOVUPS 384(DI), Y2
	VMOVUPS 576(DI), Y3
	VMOVUPS 768(DI), Y4
	VMOVUPS 960(DI), Y5
	SPREAD
	LEAQ (SI)(R9*1), AX
	VMOVUPS Y0, (SI)
	VMOVUPS Y11, (SI)(R8*1)
	VMOVUPS Y6, (SI)(R8*2)
	VMOVUPS Y1, (AX)
	VMOVUPS Y9, (AX)(R8*1)
	VMOVUPS Y5, (AX)(R8*2)
	ADDQ $32, DI
	ADDQ DX, SI
	DECQ CX
	JNE  column
	VZEROUPPER
	RET

// GATHER multiplies the six numbers in Y0 … Y5 by Aᵀ: the results are in Y0, Y10, Y6
// and Y5. Y12 … Y15 hold 2, ½, 4 and a.
#define GATHER \
	VADDPS Y2, Y1, Y6 \
	VSUBPS Y2, Y1, Y7 \
	VADDPS Y4, Y3, Y8 \
	VSUBPS Y4, Y3, Y9 \
	VADDPS Y6, Y0, Y0 \
	VMULPS Y13, Y6, Y6 \
	VMULPS Y13, Y7, Y11 \
	VMOVAPS Y7, Y10 \
	VADDPS Y8, Y0, Y0 \
	VFMADD231PS Y12, Y8, Y6 \
	VFMADD231PS Y14, Y9, Y11 \
	VFMADD231PS Y12, Y9, Y10 \
	VFMADD231PS Y15, Y11, Y5 \
	VMULPS Y15, Y10, Y10

// func winogradOut(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)
// The inverse transforms, whose 4×4 results go to the offsets of a plane.
TEXT ·winogradOut(SB), NOSPLIT, $0-48
	MOVQ src+24(FP), SI
	MOVQ step+32(FP), DX
	MOVQ room+40(FP), DI
	VBROADCASTSS ·winogradFactors+0(SB), Y12
	VBROADCASTSS ·winogradFactors+4(SB), Y13
	VBROADCASTSS ·winogradFactors+16(SB), Y14
	VBROADCASTSS ·winogradFactors+12(SB), Y15
	LEAQ (DX)(DX*2), R8
	ADDQ R8, R8
	LEAQ (R8)(R8*2), R9
	MOVQ $6, CX

column:
	LEAQ (SI)(R9*1), AX
	VMOVUPS (SI), Y0
	VMOVUPS (SI)(R8*1), Y1
	VMOVUPS (SI)(R8*2), Y2
	VMOVUPS (AX), Y3
	VMOVUPS (AX)(R8*1), Y4
	VMOVUPS (AX)(R8*2), Y5
	GATHER
	VMOVUPS Y0, (DI)
	VMOVUPS Y10, 192(DI)
	VMOVUPS Y6, 384(DI)
	VMOVUPS Y5, 576(DI)
	ADDQ $32, DI
	ADDQ DX, SI
	DECQ CX
	JNE  column

	MOVQ plane+0(FP), BX
	MOVQ offsets+8(FP), AX
	MOVQ stride+16(FP), DX
	MOVQ room+40(FP), DI
	TILES
	XORQ BX, BX
	MOVQ $4, CX

row:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	GATHER
	VUNPCKLPS Y10, Y0, Y1
	VUNPCKHPS Y10, Y0, Y2
	VUNPCKLPS Y5, Y6, Y3
	VUNPCKHPS Y5, Y6, Y4
	VUNPCKLPD Y3, Y1, Y0
	VUNPCKHPD Y3, Y1, Y5
	VUNPCKLPD Y4, Y2, Y6
	VUNPCKHPD Y4, Y2, Y7
	VMOVUPS X0, (R8)(BX*1)
	VMOVUPS X5, (R9)(BX*1)
	VMOVUPS X6, (R10)(BX*1)
	VMOVUPS X7, (R11)(BX*1)
	VEXTRACTF128 $1, Y0, (R12)(BX*1)
	VEXTRACTF128 $1, Y5, (R13)(BX*1)
	VEXTRACTF128 $1, Y6, (R14)(BX*1)
	VEXTRACTF128 $1, Y7, (R15)(BX*1)
	ADDQ $192, DI
	ADDQ DX, BX
	DECQ CX
	JNE  row
	VZEROUPPER
	RET
