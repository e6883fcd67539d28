//go:build !purego

#include "go_asm.h"
#include "textflag.h"

#define LANES 16
#include "zmm_amd64.h"

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
