//go:build !purego

#include "textflag.h"

#define WIDE 32
#include "ymm_amd64.h"

#include "winograd_amd64.h"

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

// func winogradIn(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)
// The transforms of the 6×6 tiles at the offsets, in bytes, of a plane: entry ξ goes
// to dst[ξ*step+lane]. step and stride are in bytes.
TEXT ·winogradIn(SB), NOSPLIT, $0-48
	MOVQ plane+16(FP), BX
	MOVQ offsets+24(FP), AX
	MOVQ stride+32(FP), DX
	MOVQ room+40(FP), DI
	TILES
	FACTORS(8)
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
	FOURS
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
	TURN
	ADDQ $(6*WIDE), DI
	ADDQ DX, BX
	DECQ CX
	JNE  row

	SPREADCOLUMNS
	VZEROUPPER
	RET

// func winogradOut(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)
// The inverse transforms, whose 4×4 results go to the offsets of a plane.
TEXT ·winogradOut(SB), NOSPLIT, $0-48
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
	TILES
	XORQ BX, BX
	MOVQ $4, CX

row:
	TURNED
	GATHER
	FOURSBACK
	VMOVUPS X0, (R8)(BX*1)
	VMOVUPS X5, (R9)(BX*1)
	VMOVUPS X6, (R10)(BX*1)
	VMOVUPS X7, (R11)(BX*1)
	VEXTRACTF128 $1, Y0, (R12)(BX*1)
	VEXTRACTF128 $1, Y5, (R13)(BX*1)
	VEXTRACTF128 $1, Y6, (R14)(BX*1)
	VEXTRACTF128 $1, Y7, (R15)(BX*1)
	ADDQ $(6*WIDE), DI
	ADDQ DX, BX
	DECQ CX
	JNE  row
	VZEROUPPER
	RET
