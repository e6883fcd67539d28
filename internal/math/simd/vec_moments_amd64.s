//go:build !purego

#include "textflag.h"
#include "vec_moments_amd64.h"

#define SQUARES(off, s, q) \
	VCVTPS2PD off(DI)(AX*4), Y8 \
	VADDPD Y8, s, s \
	VFMADD231PD Y8, Y8, q

#define LASTSQUARES \
	VMASKMOVPS (DI)(AX*4), X15, X8 \
	VCVTPS2PD X8, Y8 \
	VADDPD Y8, Y1, Y1 \
	VFMADD231PD Y8, Y8, Y5

#define PRODUCTS(off, s, q) \
	VCVTPS2PD off(DI)(AX*4), Y8 \
	VCVTPS2PD off(SI)(AX*4), Y9 \
	VADDPD Y8, s, s \
	VFMADD231PD Y9, Y8, q

#define LASTPRODUCTS \
	VMASKMOVPS (DI)(AX*4), X15, X8 \
	VMASKMOVPS (SI)(AX*4), X15, X9 \
	VCVTPS2PD X8, Y8 \
	VCVTPS2PD X9, Y9 \
	VADDPD Y8, Y1, Y1 \
	VFMADD231PD Y9, Y8, Y5

// func sumAndSquaresF32(x *float32, n int) (sum, sumsq float64)
TEXT ·sumAndSquaresF32(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	SUMS(SQUARES, LASTSQUARES)
	MOVSD X0, sum+16(FP)
	MOVSD X4, sumsq+24(FP)
	RET

// func dotAndSumF32(d, x *float32, n int) (sum, dot float64)
TEXT ·dotAndSumF32(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	SUMS(PRODUCTS, LASTPRODUCTS)
	MOVSD X0, sum+24(FP)
	MOVSD X4, dot+32(FP)
	RET
