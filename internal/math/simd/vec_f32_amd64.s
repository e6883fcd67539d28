//go:build !purego

#include "textflag.h"
#include "vec_f32_amd64.h"

// The mask of r lanes starts r lanes before the zeros.
DATA ·vecMask+0(SB)/8, $-1
DATA ·vecMask+8(SB)/8, $-1
DATA ·vecMask+16(SB)/8, $-1
DATA ·vecMask+24(SB)/8, $-1
DATA ·vecMask+32(SB)/8, $0
DATA ·vecMask+40(SB)/8, $0
DATA ·vecMask+48(SB)/8, $0
DATA ·vecMask+56(SB)/8, $0
GLOBL ·vecMask(SB), RODATA|NOPTR, $64

// ACROSS takes Y0 to Y3 together in X0.
#define ACROSS(OP) \
	OP Y1, Y0, Y0 \
	OP Y3, Y2, Y2 \
	OP Y2, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	OP X1, X0, X0 \
	VPERMILPS $0x4E, X0, X1 \
	OP X1, X0, X0 \
	VPERMILPS $0xB1, X0, X1 \
	OP X1, X0, X0

#include "vec_loops_amd64.h"

#define MAXABS(off, Ya, Yb, Y) \
	VANDPS off(DI)(AX*4), Y12, Ya \
	VPMAXUD Ya, Y, Y

#define MAXABSREST \
	VMASKMOVPS (DI)(AX*4), Y15, Y4 \
	VANDPS Y12, Y4, Y4 \
	VPMAXUD Y4, Y0, Y0

// func maxAbsF32(x *float32, n int) float32
// The largest |x|. Without their signs floats are in the order of their bits, NaN
// last.
TEXT maxAbs(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VPCMPEQD Y12, Y12, Y12
	VPSRLD $1, Y12, Y12 // all but the sign bit
	FOURS(MAXABS, MAXABSREST)
	ACROSS(VPMAXUD)
	VZEROUPPER
	MOVSS X0, ret+16(FP)
	RET
