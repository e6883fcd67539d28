//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// ReLU, leaky ReLU, their derivatives and their shifts on float64, in the form of
// the arithmetic on float32. Y13 is zero, Y12 the sign bit.

#define RELU(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*8), Ya) \
	VCMPPD $0x16, Y13, Ya, Yb \
	VANDPD Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*8))

// func reluF64(dst, x *float64, n int)
// dst = x where not x ≤ 0, which keeps a NaN
TEXT ·reluF64(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VXORPD Y13, Y13, Y13
	PAIRS64(RELU)
	VZEROUPPER
	RET

#define RELUMASK(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*8), Ya) \
	LOAD(off(SI)(AX*8), Yb) \
	VCMPPD $0x1E, Y13, Ya, Ya \
	VANDPD Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*8))

// func reluMaskF64(dst, d, x *float64, n int)
// dst = d where x > 0
TEXT ·reluMaskF64(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VXORPD Y13, Y13, Y13
	PAIRS64(RELUMASK)
	VZEROUPPER
	RET

#define RELUSHIFT(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*8), Ya) \
	LOAD(off(SI)(AX*8), Yb) \
	VXORPD Y12, Ya, Yc \
	VMAXPD Yb, Yc, Yc \
	VADDPD Yb, Ya, Yd \
	VCMPPD $0x16, Y13, Yd, Yb \
	VANDPD Yb, Yd, Yd \
	VCMPPD $0x1E, Y13, Ya, Ya \
	VBLENDVPD Ya, Yc, Yd, Yc \
	STORE(Yc, off(DI)(AX*8))

// func reluShiftF64(dst, d, x *float64, n int)
// dst = max(d, −x) where x > 0, else max(x+d, 0). The maximum takes its second
// operand, here d, when one is a NaN.
TEXT ·reluShiftF64(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VXORPD Y13, Y13, Y13
	VPCMPEQD Y12, Y12, Y12
	VPSLLQ $63, Y12, Y12 // the sign bit
	PAIRS64(RELUSHIFT)
	VZEROUPPER
	RET

#define LEAKYRELU(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*8), Ya) \
	VMULPD Y8, Ya, Yb \
	VCMPPD $0x1E, Y13, Ya, Yc \
	VBLENDVPD Yc, Ya, Yb, Ya \
	STORE(Ya, off(DI)(AX*8))

// func leakyReLUF64(dst, x *float64, n int, slope float64)
// dst = x where x > 0, else slope·x
TEXT ·leakyReLUF64(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD slope+24(FP), Y8
	VXORPD Y13, Y13, Y13
	PAIRS64(LEAKYRELU)
	VZEROUPPER
	RET

#define LEAKYRELUMASK(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*8), Ya) \
	LOAD(off(SI)(AX*8), Yb) \
	VMULPD Y8, Yb, Yc \
	VCMPPD $0x1E, Y13, Ya, Ya \
	VBLENDVPD Ya, Yb, Yc, Ya \
	STORE(Ya, off(DI)(AX*8))

// func leakyReLUMaskF64(dst, d, x *float64, n int, slope float64)
// dst = d where x > 0, else slope·d
TEXT ·leakyReLUMaskF64(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSD slope+32(FP), Y8
	VXORPD Y13, Y13, Y13
	PAIRS64(LEAKYRELUMASK)
	VZEROUPPER
	RET

#define LEAKYRELUSHIFT(LOAD, STORE) \
	LOAD((BX)(AX*8), Y0) \
	LOAD((SI)(AX*8), Y1) \
	VCMPPD $0x1E, Y13, Y0, Y2 \
	VXORPD Y12, Y0, Y3 \
	VCMPPD $0x16, Y3, Y1, Y3 \
	VMULPD Y8, Y0, Y4 \
	VBLENDVPD Y2, Y0, Y4, Y4 \
	VADDPD Y1, Y0, Y5 \
	VMULPD Y8, Y5, Y6 \
	VBLENDVPD Y3, Y5, Y6, Y5 \
	VSUBPD Y4, Y5, Y5 \
	VMULPD Y8, Y1, Y6 \
	VBLENDVPD Y2, Y1, Y6, Y6 \
	VXORPD Y3, Y2, Y2 \
	VBLENDVPD Y2, Y5, Y6, Y6 \
	STORE(Y6, (DI)(AX*8))

// func leakyReLUShiftF64(dst, d, x *float64, n int, slope float64)
// Y2: x > 0; Y3: not d ≤ −x. Where they agree dst is d or slope·d (Y6), else
// leaky(x+d) − leaky(x) (Y5 and Y4).
TEXT ·leakyReLUShiftF64(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSD slope+32(FP), Y8
	VXORPD Y13, Y13, Y13
	VPCMPEQD Y12, Y12, Y12
	VPSLLQ $63, Y12, Y12 // the sign bit
	SINGLES64(LEAKYRELUSHIFT)
	VZEROUPPER
	RET
