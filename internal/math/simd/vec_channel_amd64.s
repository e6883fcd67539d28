//go:build !purego

#include "textflag.h"
#include "vec_f32_amd64.h"
#include "vec_channel_amd64.h"

// Channel on float32: sixteen elements at a time, then eight, then the rest under a
// mask. SI is x, BX the cotangents, DI the destination. Y15 is zero.

#define SCALARS \
	VBROADCASTSS 0(R8), Y13 \
	VBROADCASTSS 4(R8), Y12 \
	VBROADCASTSS 8(R8), Y11 \
	VBROADCASTSS 16(R8), Y10 \
	VBROADCASTSS 12(R8), Y9 \
	VXORPS Y15, Y15, Y15

// FACTOR sets y to what the dropout mask multiplies by.
#define FACTOR(lanes, y) \
	VPSLLVD ·channelLanes+lanes(SB), Y14, y \
	VPSRAD $31, y, y \
	VANDPS Y9, y, y

#define WHOLE_STREAM32(reg, to) VMOVNTPS reg, to
#define REST_LOAD32(from, reg) VMASKMOVPS from, Y4, reg
#define REST_STORE32(reg, to) VMASKMOVPS reg, Y4, to

// EACH runs a kernel over the n elements in DX.
#define EACH(KERNEL, STORE) \
	XORQ AX, AX \
	MOVQ DX, R12 \
	ANDQ $~15, R12 \
	JZ one \
two: \
	BITS \
	KERNEL(WHOLE_LOAD, STORE, 0, 0) \
	KERNEL(WHOLE_LOAD, STORE, 32, 32) \
	ADDQ $16, AX \
	CMPQ AX, R12 \
	JLT two \
one: \
	TESTQ $8, DX \
	JZ rest \
	BITS \
	KERNEL(WHOLE_LOAD, STORE, 0, 0) \
	ADDQ $8, AX \
rest: \
	ANDQ $7, DX \
	JZ done \
	BITS \
	NEGQ DX \
	LEAQ ·vecMask(SB), R8 \
	VMOVDQU 32(R8)(DX*4), Y4 \
	KERNEL(REST_LOAD32, REST_STORE32, 0, 0) \
done:

#define FORWARD(LOAD, STORE, off, lanes) \
	LOAD(off(SI)(AX*4), Y0) \
	VFMADD213PS Y12, Y13, Y0 \
	VMULPS Y11, Y0, Y1 \
	VANDPS Y10, Y1, Y1 \
	VCMPPS $0x16, Y15, Y0, Y2 \
	VBLENDVPS Y2, Y0, Y1, Y0 \
	FACTOR(lanes, Y3) \
	VMULPS Y3, Y0, Y0 \
	STORE(Y0, off(DI)(AX*4))

// FORWARDS is the body of both functions.
#define FORWARDS(STORE) \
	MOVQ dst+0(FP), DI \
	MOVQ x+8(FP), SI \
	MOVQ n+16(FP), DX \
	MOVQ c+24(FP), R8 \
	MASKPOINTERS \
	SCALARS \
	EACH(FORWARD, STORE) \
	VZEROUPPER

// Y0 gathers q·x + r, Y2 becomes g.
#define COMBINE(LOAD, STORE, off, lanes) \
	LOAD(off(SI)(AX*4), Y0) \
	VMOVAPS Y12, Y1 \
	VFMADD231PS Y0, Y13, Y1 \
	VCMPPS $0x16, Y15, Y1, Y1 \
	VFMADD213PS Y7, Y6, Y0 \
	LOAD(off(BX)(AX*4), Y3) \
	FACTOR(lanes, Y2) \
	VMULPS Y3, Y2, Y2 \
	VMULPS Y11, Y2, Y3 \
	VANDPS Y10, Y3, Y3 \
	VBLENDVPS Y1, Y2, Y3, Y2 \
	VFMADD231PS Y2, Y5, Y0 \
	STORE(Y0, off(DI)(AX*4))

// COMBINES is the body of both functions.
#define COMBINES(STORE) \
	MOVQ dst+0(FP), DI \
	MOVQ d+8(FP), BX \
	MOVQ x+16(FP), SI \
	MOVQ n+24(FP), DX \
	MOVQ c+32(FP), R8 \
	MASKPOINTERS \
	SCALARS \
	VBROADCASTSS 20(R8), Y5 \
	VBROADCASTSS 24(R8), Y6 \
	VBROADCASTSS 28(R8), Y7 \
	EACH(COMBINE, STORE) \
	VZEROUPPER

// func channelForwardF32(dst, x *float32, n int, c *channelArgs)
TEXT ·channelForwardF32(SB), NOSPLIT, $0-32
	FORWARDS(WHOLE_STORE)
	RET

// func channelForwardStreamF32(dst, x *float32, n int, c *channelArgs)
TEXT ·channelForwardStreamF32(SB), NOSPLIT, $0-32
	FORWARDS(WHOLE_STREAM32)
	SFENCE
	RET

// func channelCombineF32(dst, d, x *float32, n int, c *channelArgs)
TEXT ·channelCombineF32(SB), NOSPLIT, $0-40
	COMBINES(WHOLE_STORE)
	RET

// func channelCombineStreamF32(dst, d, x *float32, n int, c *channelArgs)
TEXT ·channelCombineStreamF32(SB), NOSPLIT, $0-40
	COMBINES(WHOLE_STREAM32)
	SFENCE
	RET
