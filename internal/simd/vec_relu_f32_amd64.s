//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// ReLU, leaky ReLU, their derivatives and their shifts on float32, in the form of
// the arithmetic on float32. Y13 is zero, Y12 the sign bit.

#define RELU(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*4), Ya) \
	VCMPPS $0x16, Y13, Ya, Yb \
	VANDPS Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*4))

// func reluF32(dst, x *float32, n int)
// dst = x where not x ≤ 0, which keeps a NaN
TEXT ·reluF32(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VXORPS Y13, Y13, Y13
	PAIRS32(RELU)
	VZEROUPPER
	RET

#define RELUMASK(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*4), Ya) \
	LOAD(off(SI)(AX*4), Yb) \
	VCMPPS $0x1E, Y13, Ya, Ya \
	VANDPS Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*4))

// func reluMaskF32(dst, d, x *float32, n int)
// dst = d where x > 0
TEXT ·reluMaskF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VXORPS Y13, Y13, Y13
	PAIRS32(RELUMASK)
	VZEROUPPER
	RET

#define RELUSHIFT(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*4), Ya) \
	LOAD(off(SI)(AX*4), Yb) \
	VXORPS Y12, Ya, Yc \
	VMAXPS Yb, Yc, Yc \
	VADDPS Yb, Ya, Yd \
	VCMPPS $0x16, Y13, Yd, Yb \
	VANDPS Yb, Yd, Yd \
	VCMPPS $0x1E, Y13, Ya, Ya \
	VBLENDVPS Ya, Yc, Yd, Yc \
	STORE(Yc, off(DI)(AX*4))

// func reluShiftF32(dst, d, x *float32, n int)
// dst = max(d, −x) where x > 0, else max(x+d, 0). The maximum takes its second
// operand, here d, when one is a NaN.
TEXT ·reluShiftF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VXORPS Y13, Y13, Y13
	VPCMPEQD Y12, Y12, Y12
	VPSLLD $31, Y12, Y12 // the sign bit
	PAIRS32(RELUSHIFT)
	VZEROUPPER
	RET

#define LEAKYRELU(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*4), Ya) \
	VMULPS Y8, Ya, Yb \
	VCMPPS $0x1E, Y13, Ya, Yc \
	VBLENDVPS Yc, Ya, Yb, Ya \
	STORE(Ya, off(DI)(AX*4))

// func leakyReLUF32(dst, x *float32, n int, slope float32)
// dst = x where x > 0, else slope·x
TEXT ·leakyReLUF32(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS slope+24(FP), Y8
	VXORPS Y13, Y13, Y13
	PAIRS32(LEAKYRELU)
	VZEROUPPER
	RET

#define LEAKYRELUMASK(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*4), Ya) \
	LOAD(off(SI)(AX*4), Yb) \
	VMULPS Y8, Yb, Yc \
	VCMPPS $0x1E, Y13, Ya, Ya \
	VBLENDVPS Ya, Yb, Yc, Ya \
	STORE(Ya, off(DI)(AX*4))

// func leakyReLUMaskF32(dst, d, x *float32, n int, slope float32)
// dst = d where x > 0, else slope·d
TEXT ·leakyReLUMaskF32(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSS slope+32(FP), Y8
	VXORPS Y13, Y13, Y13
	PAIRS32(LEAKYRELUMASK)
	VZEROUPPER
	RET

#define LEAKYRELUSHIFT(LOAD, STORE) \
	LOAD((BX)(AX*4), Y0) \
	LOAD((SI)(AX*4), Y1) \
	VCMPPS $0x1E, Y13, Y0, Y2 \
	VXORPS Y12, Y0, Y3 \
	VCMPPS $0x16, Y3, Y1, Y3 \
	VMULPS Y8, Y0, Y4 \
	VBLENDVPS Y2, Y0, Y4, Y4 \
	VADDPS Y1, Y0, Y5 \
	VMULPS Y8, Y5, Y6 \
	VBLENDVPS Y3, Y5, Y6, Y5 \
	VSUBPS Y4, Y5, Y5 \
	VMULPS Y8, Y1, Y6 \
	VBLENDVPS Y2, Y1, Y6, Y6 \
	VXORPS Y3, Y2, Y2 \
	VBLENDVPS Y2, Y5, Y6, Y6 \
	STORE(Y6, (DI)(AX*4))

// func leakyReLUShiftF32(dst, d, x *float32, n int, slope float32)
// Y2: x > 0; Y3: not d ≤ −x. Where they agree dst is d or slope·d (Y6), else
// leaky(x+d) − leaky(x) (Y5 and Y4).
TEXT ·leakyReLUShiftF32(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSS slope+32(FP), Y8
	VXORPS Y13, Y13, Y13
	VPCMPEQD Y12, Y12, Y12
	VPSLLD $31, Y12, Y12 // the sign bit
	SINGLES32(LEAKYRELUSHIFT)
	VZEROUPPER
	RET
