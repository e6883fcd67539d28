//go:build !purego

#include "textflag.h"
#include "vec_f64.h"
#include "vec_arm64.h"

#define WIDTH DOUBLE
#define SHIFT 1
#define FMOV FMOVD
#define FILL28 VDUP V28.D[0], V28.D2
#define FILL29 VDUP V29.D[0], V29.D2
#define FILL30 VDUP V30.D[0], V30.D2

// The element that a loop reads at R1, and at R2, and the one that it writes.
#define X1 FMOVD.P SIZE(R1), F0
#define XY1 X1; FMOVD.P SIZE(R2), F1
#define PUT1 FMOVD.P F2, SIZE(R0)

// ACROSS takes all lanes of V16 to V19 together.
#define ACROSS(op, PAIRS) GATHER(op, PAIRS, DOUBLE)

#include "vec_loops_arm64.h"
