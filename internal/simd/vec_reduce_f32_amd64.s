//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// Sums and the maximum of float32. Y0 to Y3 gather; a kernel takes the register at off
// bytes, with Ya and Yb to work in, into Y.

#define CLEAR \
	VXORPS Y0, Y0, Y0 \
	VXORPS Y1, Y1, Y1 \
	VXORPS Y2, Y2, Y2 \
	VXORPS Y3, Y3, Y3

// FOURS takes four registers at a time, then one, then the rest under a mask, whose
// other lanes REST reads as zeros.
#define FOURS(KERNEL, REST) \
	XORQ AX, AX \
	CLEAR \
	MOVQ CX, DX \
	ANDQ $~31, DX \
	JZ some \
four: \
	KERNEL(0, Y4, Y8, Y0) \
	KERNEL(32, Y5, Y9, Y1) \
	KERNEL(64, Y6, Y10, Y2) \
	KERNEL(96, Y7, Y11, Y3) \
	ADDQ $32, AX \
	CMPQ AX, DX \
	JLT four \
some: \
	MOVQ CX, DX \
	ANDQ $~7, DX \
	JMP test \
one: \
	KERNEL(0, Y4, Y8, Y0) \
	ADDQ $8, AX \
test: \
	CMPQ AX, DX \
	JLT one \
	MASK32 \
	REST \
done:

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

#define DOT(off, Ya, Yb, Y) \
	VMOVUPS off(DI)(AX*4), Ya \
	VFMADD231PS off(SI)(AX*4), Ya, Y

#define DOTREST \
	VMASKMOVPS (DI)(AX*4), Y15, Y4 \
	VMASKMOVPS (SI)(AX*4), Y15, Y5 \
	VFMADD231PS Y5, Y4, Y0

// func dotF32(x, y *float32, n int) float32
// Σ x·y
TEXT ·dotF32(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ n+16(FP), CX
	FOURS(DOT, DOTREST)
	ACROSS(VADDPS)
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

#define SUM(off, Ya, Yb, Y) \
	VADDPS off(DI)(AX*4), Y, Y

#define SUMREST \
	VMASKMOVPS (DI)(AX*4), Y15, Y4 \
	VADDPS Y4, Y0, Y0

// func sumF32(x *float32, n int) float32
// Σ x
TEXT ·sumF32(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	FOURS(SUM, SUMREST)
	ACROSS(VADDPS)
	VZEROUPPER
	MOVSS X0, ret+16(FP)
	RET

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
TEXT ·maxAbsF32(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VPCMPEQD Y12, Y12, Y12
	VPSRLD $1, Y12, Y12 // all but the sign bit
	FOURS(MAXABS, MAXABSREST)
	ACROSS(VPMAXUD)
	VZEROUPPER
	MOVSS X0, ret+16(FP)
	RET
