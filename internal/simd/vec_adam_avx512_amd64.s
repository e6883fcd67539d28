//go:build !purego

#include "go_asm.h"
#include "textflag.h"

#define LANES 16
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V9 Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14
#define V15 Z15

#define PART \
	MOVL $1, R10 \
	SHLL CX, R10 \
	DECL R10 \
	KMOVW R10, K1
#define PART_LOAD(from, reg) VMOVUPS.Z from, K1, reg
#define PART_STORE(reg, to) VMOVUPS reg, K1, to
#define ZERO(reg) VPXORD reg, reg, reg

#include "vec_adam_amd64.h"

#define ADAMWIDEF32 ·adamWideF32

// adamWideF32 is adamF32 with AVX-512.
TEXT ADAMWIDEF32(SB), NOSPLIT, $0-48
	ADAM
