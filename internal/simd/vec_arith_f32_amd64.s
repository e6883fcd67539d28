//go:build !purego

#include "textflag.h"
#include "vec_amd64.h"

// Arithmetic on float32, element by element. DI, SI and BX are the pointers, Y8 to Y10
// the scalars.

// The mask of r lanes starts r lanes before the zeros.
DATA ·vecMask+0(SB)/8, $-1
DATA ·vecMask+8(SB)/8, $-1
DATA ·vecMask+16(SB)/8, $-1
DATA ·vecMask+24(SB)/8, $-1
DATA ·vecMask+32(SB)/8, $0
DATA ·vecMask+40(SB)/8, $0
DATA ·vecMask+48(SB)/8, $0
DATA ·vecMask+56(SB)/8, $0
GLOBL ·vecMask(SB), RODATA|NOPTR, $64

#define AXPY(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(DI)(AX*4), Ya) \
	LOAD(off(SI)(AX*4), Yb) \
	VFMADD231PS Yb, Y8, Ya \
	STORE(Ya, off(DI)(AX*4))

// func axpyF32(y, x *float32, n int, alpha float32)
// y += alpha·x
TEXT ·axpyF32(SB), NOSPLIT, $0-28
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS alpha+24(FP), Y8
	PAIRS32(AXPY)
	VZEROUPPER
	RET

#define SCALE(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(DI)(AX*4), Ya) \
	VMULPS Y8, Ya, Ya \
	STORE(Ya, off(DI)(AX*4))

// func scaleF32(x *float32, n int, alpha float32)
// x *= alpha
TEXT ·scaleF32(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VBROADCASTSS alpha+16(FP), Y8
	PAIRS32(SCALE)
	VZEROUPPER
	RET

#define ADD(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*4), Ya) \
	LOAD(off(BX)(AX*4), Yb) \
	VADDPS Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*4))

// func addF32(dst, a, b *float32, n int)
// dst = a + b
TEXT ·addF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	PAIRS32(ADD)
	VZEROUPPER
	RET

#define MUL(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*4), Ya) \
	LOAD(off(BX)(AX*4), Yb) \
	VMULPS Yb, Ya, Ya \
	STORE(Ya, off(DI)(AX*4))

// func mulF32(dst, a, b *float32, n int)
// dst = a·b
TEXT ·mulF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	PAIRS32(MUL)
	VZEROUPPER
	RET

#define SCALESHIFT(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(SI)(AX*4), Ya) \
	VFMADD213PS Y9, Y8, Ya \
	STORE(Ya, off(DI)(AX*4))

// func scaleShiftF32(dst, x *float32, n int, a, b float32)
// dst = a·x + b
TEXT ·scaleShiftF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS a+24(FP), Y8
	VBROADCASTSS b+28(FP), Y9
	PAIRS32(SCALESHIFT)
	VZEROUPPER
	RET

#define COMBINE(LOAD, STORE, off, Ya, Yb, Yc, Yd) \
	LOAD(off(BX)(AX*4), Ya) \
	VFMADD213PS Y10, Y9, Ya \
	LOAD(off(SI)(AX*4), Yb) \
	VFMADD231PS Yb, Y8, Ya \
	STORE(Ya, off(DI)(AX*4))

// func combineF32(dst, x, y *float32, n int, a, b, c float32)
// dst = a·x + (b·y + c)
TEXT ·combineF32(SB), NOSPLIT, $0-44
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSS a+32(FP), Y8
	VBROADCASTSS b+36(FP), Y9
	VBROADCASTSS c+40(FP), Y10
	PAIRS32(COMBINE)
	VZEROUPPER
	RET
