//go:build !purego

#include "textflag.h"

#include "zmm_amd64.h"

#define EXPF32 ·expWideF32
#define EXPSUMF32 ·expSumWideF32
#define SIGMOIDF32 ·sigmoidWideF32
#define SIGMOIDSLOPEF32 ·sigmoidSlopeWideF32
#define GELUF32 ·geluWideF32
#define GELUSLOPEF32 ·geluSlopeWideF32

#define BEGIN(wide)

#define NEAREST(reg) VRNDSCALEPS $0, reg, reg
#define ZERO(reg) VXORPS reg, reg, reg

// SIGNED: to = x has a sign ? yes : no.
#define SIGNED(x, yes, no, to) \
	VPMOVD2M x, K2 \
	VBLENDMPS yes, no, K2, to

// The loop over whole registers, and the rest under the mask K1.
#define WHOLE_LOAD(from, reg) VMOVUPS from, reg
#define WHOLE_STORE(reg, to) VMOVUPS reg, to
#define PART_LOAD(from, reg) VMOVUPS.Z from, K1, reg
#define PART_STORE(reg, to) VMOVUPS reg, K1, to
#define SINGLES(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~15, DX \
	JZ rest \
one: \
	KERNEL(WHOLE_LOAD, WHOLE_STORE) \
	ADDQ $16, AX \
	CMPQ AX, DX \
	JLT one \
rest: \
	ANDQ $15, CX \
	JZ done \
	MOVL $1, DX \
	SHLL CX, DX \
	DECL DX \
	KMOVW DX, K1 \
	KERNEL(PART_LOAD, PART_STORE) \
done:

// A sum has eight lanes, as with AVX2: the halves of a register are added one after the other.
#define ALL KXNORW K1, K1, K1
#define MASKED(reg) VMOVAPS.Z reg, K1, reg
#define ADDUP \
	VADDPS Y3, Y10, Y10 \
	VEXTRACTF32X8 $1, Z3, Y3 \
	VADDPS Y3, Y10, Y10

#include "vec_exp_amd64.h"
