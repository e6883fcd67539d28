//go:build !purego

#include "textflag.h"

// Four columns of eight rows of float32, off bytes into the rows at SI (rows 0 to
// 3) and R10 (rows 4 to 7), to four lines at D. R8 is the stride of the source, R9
// three strides, R12 the stride of the destination, R13 three strides. Each Y
// register takes a row from SI in its low half and one from R10 in its high half.
#define TURN4(off, D) \
	VMOVUPS off(SI), X0 \
	VMOVUPS off(SI)(R8*1), X1 \
	VMOVUPS off(SI)(R8*2), X2 \
	VMOVUPS off(SI)(R9*1), X3 \
	VINSERTF128 $1, off(R10), Y0, Y0 \
	VINSERTF128 $1, off(R10)(R8*1), Y1, Y1 \
	VINSERTF128 $1, off(R10)(R8*2), Y2, Y2 \
	VINSERTF128 $1, off(R10)(R9*1), Y3, Y3 \
	VUNPCKLPS Y1, Y0, Y4 \
	VUNPCKHPS Y1, Y0, Y5 \
	VUNPCKLPS Y3, Y2, Y6 \
	VUNPCKHPS Y3, Y2, Y7 \
	VUNPCKLPD Y6, Y4, Y0 \
	VUNPCKHPD Y6, Y4, Y1 \
	VUNPCKLPD Y7, Y5, Y2 \
	VUNPCKHPD Y7, Y5, Y3 \
	VMOVUPS Y0, (D) \
	VMOVUPS Y1, (D)(R12*1) \
	VMOVUPS Y2, (D)(R12*2) \
	VMOVUPS Y3, (D)(R13*1)

// func turnF32(dst, src *float32, rows, cols, blocks int)
// Eight columns of 8·blocks rows of src [., cols] to eight lines of dst [., rows].
TEXT ·turnF32(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ rows+16(FP), R12
	MOVQ cols+24(FP), R8
	MOVQ blocks+32(FP), CX
	SHLQ $2, R12
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R12)(R12*2), R13
	LEAQ (DI)(R12*4), R11
	LEAQ (SI)(R8*4), R10

block:
	TURN4(0, DI)
	TURN4(16, R11)
	LEAQ (SI)(R8*8), SI
	LEAQ (R10)(R8*8), R10
	ADDQ $32, DI
	ADDQ $32, R11
	DECQ CX
	JNZ block
	VZEROUPPER
	RET

// func turnF64(dst, src *float64, rows, cols, blocks int)
// Four columns of 4·blocks rows of src [., cols] to four lines of dst [., rows].
TEXT ·turnF64(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ rows+16(FP), R12
	MOVQ cols+24(FP), R8
	MOVQ blocks+32(FP), CX
	SHLQ $3, R12
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R12)(R12*2), R13

block:
	VMOVUPD (SI), X0
	VMOVUPD (SI)(R8*1), X1
	VMOVUPD 16(SI), X2
	VMOVUPD 16(SI)(R8*1), X3
	VINSERTF128 $1, (SI)(R8*2), Y0, Y0
	VINSERTF128 $1, (SI)(R9*1), Y1, Y1
	VINSERTF128 $1, 16(SI)(R8*2), Y2, Y2
	VINSERTF128 $1, 16(SI)(R9*1), Y3, Y3
	VUNPCKLPD Y1, Y0, Y4
	VUNPCKHPD Y1, Y0, Y5
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, (DI)(R12*1)
	VMOVUPD Y6, (DI)(R12*2)
	VMOVUPD Y7, (DI)(R13*1)
	LEAQ (SI)(R8*4), SI
	ADDQ $32, DI
	DECQ CX
	JNZ block
	VZEROUPPER
	RET
