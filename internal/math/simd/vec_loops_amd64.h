// Arithmetic element by element, the rectifier and sums, for float32 and for float64: T is the type.
// DI, SI and BX are the pointers, Y8 to Y10 the scalars.

#define MUL(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*SIZE), Ya) \
	LOAD(off(BX)(AX*SIZE), Yb) \
	VMULP Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*SIZE))

// func mul(dst, a, b *T, n int)
// dst = a·b
TEXT mul(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	PAIRS(MUL)
	VZEROUPPER
	RET

#define SCALESHIFT(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*SIZE), Ya) \
	VFMADD213P Y9, Y8, Ya \
	STORE(Ya, off(DI)(AX*SIZE))

// func scaleShift(dst, x *T, n int, a, b T)
// dst = a·x + b
TEXT scaleShift(SB), NOSPLIT, $0-ARGS_24_2
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTS a+24(FP), Y8
	VBROADCASTS b+ARGS_24_1(FP), Y9
	PAIRS(SCALESHIFT)
	VZEROUPPER
	RET

#define COMBINE(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*SIZE), Ya) \
	VFMADD213P Y10, Y9, Ya \
	LOAD(off(SI)(AX*SIZE), Yb) \
	VFMADD231P Yb, Y8, Ya \
	STORE(Ya, off(DI)(AX*SIZE))

// func combine(dst, x, y *T, n int, a, b, c T)
// dst = a·x + (b·y + c)
TEXT combine(SB), NOSPLIT, $0-ARGS_32_3
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTS a+32(FP), Y8
	VBROADCASTS b+ARGS_32_1(FP), Y9
	VBROADCASTS c+ARGS_32_2(FP), Y10
	PAIRS(COMBINE)
	VZEROUPPER
	RET

// RECTIFY: Y13 is zero, and Y9 is zero where the slope is, all ones elsewhere.
#define RECTIFY(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*SIZE), Ya) \
	LOAD(off(BX)(AX*SIZE), Yb) \
	VMULP Y8, Ya, Yc \
	VANDP Y9, Yc, Yc \
	VCMPP $0x16, Y13, Yb, Yb \
	VBLENDVP Yb, Ya, Yc, Ya \
	STORE(Ya, off(DI)(AX*SIZE))

// func rectify(dst, d, x *T, n int, slope T)
// dst = d where not x ≤ 0, else slope·d
TEXT rectify(SB), NOSPLIT, $0-ARGS_32_1
	MOVQ dst+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTS slope+32(FP), Y8
	VXORP Y13, Y13, Y13
	VCMPP $4, Y13, Y8, Y9
	PAIRS(RECTIFY)
	VZEROUPPER
	RET

// Sums. Y0 to Y3 gather; a kernel takes the register at off
// bytes, with Ya and Yb to work in, into Y.

#define CLEAR \
	VXORP Y0, Y0, Y0 \
	VXORP Y1, Y1, Y1 \
	VXORP Y2, Y2, Y2 \
	VXORP Y3, Y3, Y3

// FOURS takes four registers at a time, then one, then the rest under a mask, whose
// other lanes REST reads as zeros.
#define FOURS(KERNEL, REST) \
	XORQ AX, AX \
	CLEAR \
	MOVQ CX, DX \
	ANDQ $~(4*LANES-1), DX \
	JZ some \
four: \
	KERNEL(0, Y4, Y8, Y0) \
	KERNEL(32, Y5, Y9, Y1) \
	KERNEL(64, Y6, Y10, Y2) \
	KERNEL(96, Y7, Y11, Y3) \
	ADDQ $(4*LANES), AX \
	CMPQ AX, DX \
	JLT four \
some: \
	MOVQ CX, DX \
	ANDQ $~(LANES-1), DX \
	JMP test \
one: \
	KERNEL(0, Y4, Y8, Y0) \
	ADDQ $LANES, AX \
test: \
	CMPQ AX, DX \
	JLT one \
	MASK \
	REST \
done:

#define DOT(off, Ya, Yb, Y) \
	VMOVUP off(DI)(AX*SIZE), Ya \
	VFMADD231P off(SI)(AX*SIZE), Ya, Y

#define DOTREST \
	VMASKMOVP (DI)(AX*SIZE), Y15, Y4 \
	VMASKMOVP (SI)(AX*SIZE), Y15, Y5 \
	VFMADD231P Y5, Y4, Y0

// func dot(x, y *T, n int) float32
// Σ x·y
TEXT dot(SB), NOSPLIT, $0-ARGS_24_1
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ n+16(FP), CX
	FOURS(DOT, DOTREST)
	ACROSS(VADDP)
	VZEROUPPER
	MOVS X0, ret+24(FP)
	RET

#define SUM(off, Ya, Yb, Y) \
	VADDP off(DI)(AX*SIZE), Y, Y

#define SUMREST \
	VMASKMOVP (DI)(AX*SIZE), Y15, Y4 \
	VADDP Y4, Y0, Y0

// func sum(x *T, n int) float32
// Σ x
TEXT sum(SB), NOSPLIT, $0-ARGS_16_1
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	FOURS(SUM, SUMREST)
	ACROSS(VADDP)
	VZEROUPPER
	MOVS X0, ret+16(FP)
	RET

// LARGER sets b to the larger of the integers a and b, by way of c.
#define LARGER(a, b, c) \
	VPCMPGT b, a, c \
	VBLENDVP c, a, b, b

#define MAXABS(off, Ya, Yb, Y) \
	VANDP off(DI)(AX*SIZE), Y12, Ya \
	LARGER(Ya, Y, Yb)

#define MAXABSREST \
	VMASKMOVP (DI)(AX*SIZE), Y15, Y4 \
	VANDP Y12, Y4, Y4 \
	LARGER(Y4, Y0, Y8)

// func maxAbs(x *T, n int) T
// The largest |x|. Without their signs floats are in the order of their bits, NaN
// last.
TEXT maxAbs(SB), NOSPLIT, $0-ARGS_16_1
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VPCMPEQD Y12, Y12, Y12
	VPSRL $1, Y12, Y12 // all but the sign bit
	FOURS(MAXABS, MAXABSREST)
	LARGER(Y1, Y0, Y5)
	LARGER(Y2, Y0, Y6)
	LARGER(Y3, Y0, Y7)
	VEXTRACTF128 $1, Y0, X1
	LARGER(X1, X0, X5)
	LARGEST
	VZEROUPPER
	MOVS X0, ret+16(FP)
	RET
