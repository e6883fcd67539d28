//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// Sums and the maximum of float64. Y0 to Y3 gather; a kernel takes the register at off
// bytes, with Ya and Yb to work in, into Y.

#define CLEAR \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3

// FOURS takes four registers at a time, then one, then the rest under a mask, whose
// other lanes REST reads as zeros.
#define FOURS(KERNEL, REST) \
	XORQ AX, AX \
	CLEAR \
	MOVQ CX, DX \
	ANDQ $~15, DX \
	JZ some \
four: \
	KERNEL(0, Y4, Y8, Y0) \
	KERNEL(32, Y5, Y9, Y1) \
	KERNEL(64, Y6, Y10, Y2) \
	KERNEL(96, Y7, Y11, Y3) \
	ADDQ $16, AX \
	CMPQ AX, DX \
	JLT four \
some: \
	MOVQ CX, DX \
	ANDQ $~3, DX \
	JMP test \
one: \
	KERNEL(0, Y4, Y8, Y0) \
	ADDQ $4, AX \
test: \
	CMPQ AX, DX \
	JLT one \
	MASK64 \
	REST \
done:

// ACROSS takes Y0 to Y3 together in X0.
#define ACROSS(OP) \
	OP Y1, Y0, Y0 \
	OP Y3, Y2, Y2 \
	OP Y2, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	OP X1, X0, X0 \
	VPERMILPD $1, X0, X1 \
	OP X1, X0, X0

#define DOT(off, Ya, Yb, Y) \
	VMOVUPD off(DI)(AX*8), Ya \
	VFMADD231PD off(SI)(AX*8), Ya, Y

#define DOTREST \
	VMASKMOVPD (DI)(AX*8), Y15, Y4 \
	VMASKMOVPD (SI)(AX*8), Y15, Y5 \
	VFMADD231PD Y5, Y4, Y0

// func dotF64(x, y *float64, n int) float64
// Σ x·y
TEXT ·dotF64(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ n+16(FP), CX
	FOURS(DOT, DOTREST)
	ACROSS(VADDPD)
	VZEROUPPER
	MOVSD X0, ret+24(FP)
	RET

#define SUM(off, Ya, Yb, Y) \
	VADDPD off(DI)(AX*8), Y, Y

#define SUMREST \
	VMASKMOVPD (DI)(AX*8), Y15, Y4 \
	VADDPD Y4, Y0, Y0

// func sumF64(x *float64, n int) float64
// Σ x
TEXT ·sumF64(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	FOURS(SUM, SUMREST)
	ACROSS(VADDPD)
	VZEROUPPER
	MOVSD X0, ret+16(FP)
	RET

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
TEXT ·maxAbsF64(SB), NOSPLIT, $0-24
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
