//go:build !purego

#include "textflag.h"
#include "vec_f32_amd64.h"

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

// LARGEST takes the lanes of X0 together by LARGER, with X1 and X5 to work in.
#define LARGEST \
	VPERMILPS $0x4E, X0, X1 \
	LARGER(X1, X0, X5) \
	VPERMILPS $0xB1, X0, X1 \
	LARGER(X1, X0, X5)

#include "vec_loops_amd64.h"
#include "vec_finish_amd64.h"
