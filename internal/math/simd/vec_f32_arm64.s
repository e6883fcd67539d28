//go:build !purego

#include "textflag.h"
#include "vec_f32.h"
#include "vec_arm64.h"

#define WIDTH SINGLE
#define SHIFT 2
#define FMOV FMOVS
#define FILL28 VDUP V28.S[0], V28.S4
#define FILL29 VDUP V29.S[0], V29.S4
#define FILL30 VDUP V30.S[0], V30.S4

// The element that a loop reads at R1, and at R2, and the one that it writes.
#define X1 FMOVS.P SIZE(R1), F0
#define XY1 X1; FMOVS.P SIZE(R2), F1
#define PUT1 FMOVS.P F2, SIZE(R0)

// ACROSS takes all lanes of V16 to V19 together.
#define ACROSS(op, PAIRS) GATHER(op, PAIRS, SINGLE); OP(PAIRS, SINGLE, 16, 16, 16)

#include "vec_loops_arm64.h"
