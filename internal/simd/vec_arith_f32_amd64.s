//go:build !purego

#include "textflag.h"

// Arithmetic on float32, element by element. Each loop runs over pairs of registers,
// then one, then the rest under a mask, with the same operations in every lane: an
// element does not depend on its place. DI, SI and BX are the pointers, AX the
// index.

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

// func axpyF32(y, x *float32, n int, alpha float32)
// y += alpha·x
TEXT ·axpyF32(SB), NOSPLIT, $0-28
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS alpha+24(FP), Y8
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (DI)(AX*4), Y0
	VMOVUPS (SI)(AX*4), Y1
	VFMADD231PS Y1, Y8, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(DI)(AX*4), Y4
	VMOVUPS 32(SI)(AX*4), Y5
	VFMADD231PS Y5, Y8, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (DI)(AX*4), Y0
	VMOVUPS (SI)(AX*4), Y1
	VFMADD231PS Y1, Y8, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (DI)(AX*4), Y15, Y0
	VMASKMOVPS (SI)(AX*4), Y15, Y1
	VFMADD231PS Y1, Y8, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET

// func scaleF32(x *float32, n int, alpha float32)
// x *= alpha
TEXT ·scaleF32(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VBROADCASTSS alpha+16(FP), Y8
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (DI)(AX*4), Y0
	VMULPS Y8, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(DI)(AX*4), Y4
	VMULPS Y8, Y4, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (DI)(AX*4), Y0
	VMULPS Y8, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (DI)(AX*4), Y15, Y0
	VMULPS Y8, Y0, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET

// func addF32(dst, a, b *float32, n int)
// dst = a + b
TEXT ·addF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (BX)(AX*4), Y1
	VADDPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(SI)(AX*4), Y4
	VMOVUPS 32(BX)(AX*4), Y5
	VADDPS Y5, Y4, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (BX)(AX*4), Y1
	VADDPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (SI)(AX*4), Y15, Y0
	VMASKMOVPS (BX)(AX*4), Y15, Y1
	VADDPS Y1, Y0, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET

// func mulF32(dst, a, b *float32, n int)
// dst = a·b
TEXT ·mulF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ n+24(FP), CX
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (BX)(AX*4), Y1
	VMULPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(SI)(AX*4), Y4
	VMOVUPS 32(BX)(AX*4), Y5
	VMULPS Y5, Y4, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (BX)(AX*4), Y1
	VMULPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (SI)(AX*4), Y15, Y0
	VMASKMOVPS (BX)(AX*4), Y15, Y1
	VMULPS Y1, Y0, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET

// func scaleShiftF32(dst, x *float32, n int, a, b float32)
// dst = a·x + b
TEXT ·scaleShiftF32(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS a+24(FP), Y8
	VBROADCASTSS b+28(FP), Y9
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (SI)(AX*4), Y0
	VFMADD213PS Y9, Y8, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(SI)(AX*4), Y4
	VFMADD213PS Y9, Y8, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (SI)(AX*4), Y0
	VFMADD213PS Y9, Y8, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (SI)(AX*4), Y15, Y0
	VFMADD213PS Y9, Y8, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET

// func scaleShiftLeakyF32(dst, x *float32, n int, a, b, slope float32)
// dst = leaky(a·x + b)
TEXT ·scaleShiftLeakyF32(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS a+24(FP), Y8
	VBROADCASTSS b+28(FP), Y9
	VBROADCASTSS slope+32(FP), Y10
	VXORPS Y13, Y13, Y13
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (SI)(AX*4), Y0
	VFMADD213PS Y9, Y8, Y0
	VMULPS Y10, Y0, Y1
	VCMPPS $0x1E, Y13, Y0, Y2
	VBLENDVPS Y2, Y0, Y1, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(SI)(AX*4), Y4
	VFMADD213PS Y9, Y8, Y4
	VMULPS Y10, Y4, Y5
	VCMPPS $0x1E, Y13, Y4, Y6
	VBLENDVPS Y6, Y4, Y5, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (SI)(AX*4), Y0
	VFMADD213PS Y9, Y8, Y0
	VMULPS Y10, Y0, Y1
	VCMPPS $0x1E, Y13, Y0, Y2
	VBLENDVPS Y2, Y0, Y1, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (SI)(AX*4), Y15, Y0
	VFMADD213PS Y9, Y8, Y0
	VMULPS Y10, Y0, Y1
	VCMPPS $0x1E, Y13, Y0, Y2
	VBLENDVPS Y2, Y0, Y1, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET

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
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~15, DX
	JZ one

two:
	VMOVUPS (BX)(AX*4), Y0
	VFMADD213PS Y10, Y9, Y0
	VMOVUPS (SI)(AX*4), Y1
	VFMADD231PS Y1, Y8, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS 32(BX)(AX*4), Y4
	VFMADD213PS Y10, Y9, Y4
	VMOVUPS 32(SI)(AX*4), Y5
	VFMADD231PS Y5, Y8, Y4
	VMOVUPS Y4, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, DX
	JLT two

one:
	TESTQ $8, CX
	JZ rest
	VMOVUPS (BX)(AX*4), Y0
	VFMADD213PS Y10, Y9, Y0
	VMOVUPS (SI)(AX*4), Y1
	VFMADD231PS Y1, Y8, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ $8, AX

rest:
	ANDQ $7, CX
	JZ done
	NEGQ CX
	LEAQ ·vecMask(SB), R8
	VMOVDQU 32(R8)(CX*4), Y15
	VMASKMOVPS (BX)(AX*4), Y15, Y0
	VFMADD213PS Y10, Y9, Y0
	VMASKMOVPS (SI)(AX*4), Y15, Y1
	VFMADD231PS Y1, Y8, Y0
	VMASKMOVPS Y0, Y15, (DI)(AX*4)

done:
	VZEROUPPER
	RET
