//go:build !purego

#include "textflag.h"
#include "vec_channel_amd64.h"
#include "vec_moments_amd64.h"

// The sums of Channel, in the order of dotAndSumF32: sixteen elements at a time, then
// four, then the rest under a mask. Y0 to Y3 gather the plain sum, Y4 to Y7 the
// products. The scalars are on the stack: a, b, slope, negative and scale. For the
// registers see Channel's other kernels.

#define SPREAD(from, to) \
	VBROADCASTSS from(R8), Y8 \
	VMOVUPS Y8, to(SP)

// PULL turns d, the cotangents, into g, given x and three registers to work in.
#define PULL(lanes, bits, zero, x, d, p, q, r) \
	VMOVUPS 32(SP), p \
	VFMADD231PS 0(SP), x, p \
	VCMPPS $0x16, zero, p, p \
	VPSLLVD ·channelLanes+lanes(SB), bits, q \
	VPSRAD $31, q, q \
	VANDPS 128(SP), q, q \
	VMULPS d, q, q \
	VMULPS 64(SP), q, r \
	VANDPS 96(SP), r, r \
	VBLENDVPS p, q, r, q

// GATHER4 adds the four elements in the low halves of g and x.
#define GATHER4(g, x, s, t) \
	VCVTPS2PD g, Y11 \
	VCVTPS2PD x, Y12 \
	VADDPD Y11, s, s \
	VFMADD231PD Y12, Y11, t

#define EIGHT(off, lanes, s, t, u, v) \
	VMOVUPS off(SI)(AX*4), Y8 \
	PULL(lanes, Y14, Y15, Y8, off(BX)(AX*4), Y9, Y10, Y11) \
	GATHER4(X10, X8, s, t) \
	VEXTRACTF128 $1, Y10, X10 \
	VEXTRACTF128 $1, Y8, X8 \
	GATHER4(X10, X8, u, v)

// func channelSumsF32(d, x *float32, n int, c *channelArgs) (sum, dot float64)
TEXT ·channelSumsF32(SB), NOSPLIT, $160-48
	MOVQ d+0(FP), BX
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), DX
	MOVQ c+24(FP), R8
	MASKPOINTERS
	SPREAD(0, 0)
	SPREAD(4, 32)
	SPREAD(8, 64)
	SPREAD(16, 96)
	SPREAD(12, 128)
	CLEAR
	VXORPS Y15, Y15, Y15
	XORQ AX, AX
	MOVQ DX, R12
	ANDQ $~15, R12
	JZ some

sixteen:
	BITS
	EIGHT(0, 0, Y0, Y4, Y1, Y5)
	EIGHT(32, 32, Y2, Y6, Y3, Y7)
	ADDQ $16, AX
	CMPQ AX, R12
	JLT sixteen

some:
	MOVQ DX, R12
	ANDQ $~3, R12
	JMP test

four:
	BITS
	VMOVUPS (SI)(AX*4), X8
	PULL(0, X14, X15, X8, (BX)(AX*4), X9, X10, X11)
	GATHER4(X10, X8, Y0, Y4)
	ADDQ $4, AX

test:
	CMPQ AX, R12
	JLT four
	ANDQ $3, DX
	JZ done
	BITS
	NEGQ DX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(DX*4), X13
	VMASKMOVPS (SI)(AX*4), X13, X8
	VMASKMOVPS (BX)(AX*4), X13, X12
	PULL(0, X14, X15, X8, X12, X9, X10, X11)
	GATHER4(X10, X8, Y1, Y5)

done:
	GATHER
	VZEROUPPER
	MOVSD X0, sum+32(FP)
	MOVSD X4, dot+40(FP)
	RET
