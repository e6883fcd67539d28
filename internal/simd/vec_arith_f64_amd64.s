//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// Arithmetic on float64, in the form of that on float32.

#define AXPY(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(DI)(AX*8), Ya) \
	LOAD(off(SI)(AX*8), Yb) \
	VFMADD231PD Yb, Y8, Ya \
	STORE(Ya, off(DI)(AX*8))

// func axpyF64(y, x *float64, n int, alpha float64)
// y += alpha·x
TEXT ·axpyF64(SB), NOSPLIT, $0-32
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD alpha+24(FP), Y8
	PAIRS64(AXPY)
	VZEROUPPER
	RET

#define SCALE(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(DI)(AX*8), Ya) \
	VMULPD Y8, Ya, Ya \
	STORE(Ya, off(DI)(AX*8))

// func scaleF64(x *float64, n int, alpha float64)
// x *= alpha
TEXT ·scaleF64(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VBROADCASTSD alpha+16(FP), Y8
	PAIRS64(SCALE)
	VZEROUPPER
	RET

#define ADD(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*8), Ya) \
	LOAD(off(BX)(AX*8), Yb) \
	VADDPD Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*8))

// func addF64(dst, a, b *float64, n int)
// dst = a + b
TEXT ·addF64(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	PAIRS64(ADD)
	VZEROUPPER
	RET

#define MUL(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*8), Ya) \
	LOAD(off(BX)(AX*8), Yb) \
	VMULPD Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*8))

// func mulF64(dst, a, b *float64, n int)
// dst = a·b
TEXT ·mulF64(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	PAIRS64(MUL)
	VZEROUPPER
	RET

#define SCALESHIFT(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*8), Ya) \
	VFMADD213PD Y9, Y8, Ya \
	STORE(Ya, off(DI)(AX*8))

// func scaleShiftF64(dst, x *float64, n int, a, b float64)
// dst = a·x + b
TEXT ·scaleShiftF64(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD a+24(FP), Y8
	VBROADCASTSD b+32(FP), Y9
	PAIRS64(SCALESHIFT)
	VZEROUPPER
	RET

#define COMBINE(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*8), Ya) \
	VFMADD213PD Y10, Y9, Ya \
	LOAD(off(SI)(AX*8), Yb) \
	VFMADD231PD Yb, Y8, Ya \
	STORE(Ya, off(DI)(AX*8))

// func combineF64(dst, x, y *float64, n int, a, b, c float64)
// dst = a·x + (b·y + c)
TEXT ·combineF64(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSD a+32(FP), Y8
	VBROADCASTSD b+40(FP), Y9
	VBROADCASTSD c+48(FP), Y10
	PAIRS64(COMBINE)
	VZEROUPPER
	RET
