//go:build !purego

#include "textflag.h"
#include "vec_f64_amd64.h"

// ACROSS takes Y0 to Y3 together in X0.
#define ACROSS(OP) \
	OP Y1, Y0, Y0 \
	OP Y3, Y2, Y2 \
	OP Y2, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	OP X1, X0, X0 \
	VPERMILPD $1, X0, X1 \
	OP X1, X0, X0

#include "vec_loops_amd64.h"

// LARGER sets b to the larger of the integers a and b, by way of c.
#define LARGER(a, b, c) \
	VPCMPGTQ b, a, c \
	VBLENDVPD c, a, b, b

#define MAXABS(off, Ya, Yb, Y) \
	VANDPD off(DI)(AX*8), Y12, Ya \
	LARGER(Ya, Y, Yb)

#define MAXABSREST \
	VMASKMOVPD (DI)(AX*8), Y15, Y4 \
	VANDPD Y12, Y4, Y4 \
	LARGER(Y4, Y0, Y8)

// func maxAbsF64(x *float64, n int) float64
// The largest |x|. Without their signs floats are in the order of their bits, NaN
// last.
TEXT maxAbs(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VPCMPEQD Y12, Y12, Y12
	VPSRLQ $1, Y12, Y12 // all but the sign bit
	FOURS(MAXABS, MAXABSREST)
	LARGER(Y1, Y0, Y5)
	LARGER(Y2, Y0, Y6)
	LARGER(Y3, Y0, Y7)
	VEXTRACTF128 $1, Y0, X1
	LARGER(X1, X0, X5)
	VPERMILPD $1, X0, X1
	LARGER(X1, X0, X5)
	VZEROUPPER
	MOVSD X0, ret+16(FP)
	RET
