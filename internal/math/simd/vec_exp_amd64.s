//go:build !purego

#include "textflag.h"
#include "vec_f32_amd64.h"

#include "ymm_amd64.h"

#define EXPF32 ·expF32
#define EXPSUMF32 ·expSumF32
#define SIGMOIDF32 ·sigmoidF32
#define SIGMOIDSLOPEF32 ·sigmoidSlopeF32
#define GELUF32 ·geluF32
#define GELUSLOPEF32 ·geluSlopeF32

// BEGIN goes on in AVX-512 where the processor has it.
#define BEGIN(wide) \
	CMPB ·useAVX512(SB), $0 \
	JEQ narrow \
	JMP wide(SB) \
narrow:

#define NEAREST(reg) VROUNDPS $0, reg, reg
#define ZERO(reg) VXORPS reg, reg, reg

// SIGNED: to = x has a sign ? yes : no.
#define SIGNED(x, yes, no, to) VBLENDVPS x, yes, no, to

// Y15 is the mask of a sum: all lanes until the rest.
#define ALL VPCMPEQD Y15, Y15, Y15
#define MASKED(reg) VANDPS Y15, reg, reg
#define ADDUP VADDPS Y3, Y10, Y10

#include "vec_exp_amd64.h"
