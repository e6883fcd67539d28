//go:build !purego

#include "textflag.h"

// STEP goes to the next row, strides in bytes, and back to a label while there is one.
#define STEP(row) \
	ADDQ R10, R8 \
	ADDQ R11, R9 \
	DECQ DX \
	JNZ row

// ROWS reads the arguments of the loops over rows that lie apart, and NEXT goes to the next row.
#define ROWS \
	MOVQ dst+0(FP), R8 \
	MOVQ src+8(FP), R9 \
	MOVQ rows+16(FP), DX \
	MOVQ n+24(FP), BX \
	MOVQ dstStride+32(FP), R10 \
	MOVQ srcStride+40(FP), R11

#define NEXT \
	LEAQ (R8)(R10*4), R8 \
	LEAQ (R9)(R11*4), R9 \
	DECQ DX \
	JNZ row \
	VZEROUPPER \
	RET

// func copyRowsF32(dst, src *float32, rows, n, dstStride, srcStride int)
// rows and n are not zero. A row ends with whole registers, which may overlap those before.
TEXT ·copyRowsF32(SB), NOSPLIT, $0-48
	ROWS
	SHLQ $2, BX
	SHLQ $2, R10
	SHLQ $2, R11
	CMPQ BX, $32
	JGE eights
	CMPQ BX, $16
	JGE fours

few:
	XORQ CX, CX

one:
	MOVL (R9)(CX*1), AX
	MOVL AX, (R8)(CX*1)
	ADDQ $4, CX
	CMPQ CX, BX
	JLT one
	STEP(few)
	RET

fours:
	VMOVUPS (R9), X0
	VMOVUPS -16(R9)(BX*1), X1
	VMOVUPS X0, (R8)
	VMOVUPS X1, -16(R8)(BX*1)
	STEP(fours)
	RET

eights:
	LEAQ -32(BX), SI

row:
	XORQ CX, CX
	CMPQ CX, SI
	JGE last

eight:
	VMOVUPS (R9)(CX*1), Y0
	VMOVUPS Y0, (R8)(CX*1)
	ADDQ $32, CX
	CMPQ CX, SI
	JLT eight

last:
	VMOVUPS (R9)(SI*1), Y0
	VMOVUPS Y0, (R8)(SI*1)
	STEP(row)
	VZEROUPPER
	RET

// func evenF32(dst, src *float32, rows, n, dstStride, srcStride int)
// rows is not zero, and n is at least 8.
TEXT ·evenF32(SB), NOSPLIT, $0-48
	ROWS
	SUBQ $8, BX

row:
	MOVQ R8, DI
	MOVQ R9, SI
	MOVQ BX, CX
	TESTQ CX, CX
	JEQ last

eight:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VSHUFPS $0x88, Y1, Y0, Y0 // 0 2 8 10 | 4 6 12 14
	VPERMPD $0xD8, Y0, Y0     // 0 2 4 6 | 8 10 12 14
	VMOVUPS Y0, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT eight
	LEAQ (DI)(CX*4), DI // back to the eighth from the end
	LEAQ (SI)(CX*8), SI

last: // the second register begins one earlier, so that nothing beyond the row is read
	VMOVUPS (SI), Y0
	VMOVUPS 28(SI), Y1
	VSHUFPS $0xD8, Y1, Y0, Y0 // 0 2 8 10 | 4 6 12 14
	VPERMPD $0xD8, Y0, Y0
	VMOVUPS Y0, (DI)
	NEXT

// func addEvenF32(dst, src *float32, rows, n, dstStride, srcStride int)
// rows and n are not zero.
TEXT ·addEvenF32(SB), NOSPLIT, $0-48
	ROWS
	VXORPS Y3, Y3, Y3

row:
	MOVQ R8, DI
	MOVQ R9, SI
	MOVQ BX, CX
	SUBQ $9, CX // a block touches the entry behind its last
	JLT rest

eight:
	VPERMPD $0xD8, (SI), Y0    // 0 1 4 5 | 2 3 6 7
	VUNPCKLPS Y3, Y0, Y1       // 0 . 1 . | 2 . 3 .
	VUNPCKHPS Y3, Y0, Y2       // 4 . 5 . | 6 . 7 .
	VADDPS (DI), Y1, Y1
	VADDPS 32(DI), Y2, Y2
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGE eight

rest:
	ADDQ $9, CX // 1 to 8

one:
	VMOVSS (DI), X0
	VADDSS (SI), X0, X0
	VMOVSS X0, (DI)
	ADDQ $4, SI
	ADDQ $8, DI
	DECQ CX
	JNZ one
	NEXT

// PAIRS goes over rows of n pairs: EIGHT, FOUR and ONE move so many, whose row begins at R8 and is
// gone through by P.
#define PAIRS(P, EIGHT, FOUR, ONE) \
	SHLQ $2, R11 \
row: \
	MOVQ R8, P \
	MOVQ R10, CX \
	SUBQ $8, CX \
	JLT four \
eight: \
	EIGHT \
	SUBQ $8, CX \
	JGE eight \
four: \
	ADDQ $4, CX \
	JLT tail \
	FOUR \
	SUBQ $4, CX \
tail: \
	ADDQ $4, CX \
	JEQ next \
one: \
	ONE \
	DECQ CX \
	JNZ one \
next: \
	ADDQ R11, R8 \
	DECQ R9 \
	JNZ row \
	VZEROUPPER \
	RET

// SPLIT splits WIDTH bytes of pairs twice; TURN brings the halves of a register of 32 bytes into order.
#define SPLIT(WIDTH, a, b, c, d, TURN) \
	VMOVUPS (SI), a \
	VMOVUPS WIDTH(SI), b \
	VSHUFPS $0x88, b, a, c \
	VSHUFPS $0xDD, b, a, d \
	TURN(c, d) \
	VMOVUPS c, (DI) \
	VMOVUPS d, (DX) \
	ADDQ $(2*WIDTH), SI \
	ADDQ $WIDTH, DI \
	ADDQ $WIDTH, DX
#define STAY(c, d)
#define TURN(c, d) \
	VPERMPD $0xD8, c, c \
	VPERMPD $0xD8, d, d
#define SPLIT8 SPLIT(32, Y0, Y1, Y2, Y3, TURN)
#define SPLIT4 SPLIT(16, X0, X1, X2, X3, STAY)

#define SPLIT1 \
	MOVL (SI), AX \
	MOVL AX, (DI) \
	MOVL 4(SI), AX \
	MOVL AX, (DX) \
	ADDQ $8, SI \
	ADDQ $4, DI \
	ADDQ $4, DX

// JOIN joins WIDTH bytes of both: of 32, LOAD has them as 0 1 4 5 | 2 3 6 7.
#define JOIN(WIDTH, a, b, c, d, LOAD) \
	LOAD (SI), a \
	LOAD (DX), b \
	VUNPCKLPS b, a, c \
	VUNPCKHPS b, a, d \
	VMOVUPS c, (DI) \
	VMOVUPS d, WIDTH(DI) \
	ADDQ $(2*WIDTH), DI \
	ADDQ $WIDTH, SI \
	ADDQ $WIDTH, DX
#define TURNED VPERMPD $0xD8,
#define JOIN8 JOIN(32, Y0, Y1, Y2, Y3, TURNED)
#define JOIN4 JOIN(16, X0, X1, X2, X3, VMOVUPS)

#define JOIN1 \
	MOVL (SI), AX \
	MOVL AX, (DI) \
	MOVL (DX), AX \
	MOVL AX, 4(DI) \
	ADDQ $8, DI \
	ADDQ $4, SI \
	ADDQ $4, DX

// func deinterleaveF32(even, odd, src *float32, rows, n, stride int)
// rows and n are not zero.
TEXT ·deinterleaveF32(SB), NOSPLIT, $0-48
	MOVQ even+0(FP), DI
	MOVQ odd+8(FP), DX
	MOVQ src+16(FP), R8
	MOVQ rows+24(FP), R9
	MOVQ n+32(FP), R10
	MOVQ stride+40(FP), R11
	PAIRS(SI, SPLIT8, SPLIT4, SPLIT1)

// func interleaveF32(dst, even, odd *float32, rows, n, stride int)
// rows and n are not zero.
TEXT ·interleaveF32(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), R8
	MOVQ even+8(FP), SI
	MOVQ odd+16(FP), DX
	MOVQ rows+24(FP), R9
	MOVQ n+32(FP), R10
	MOVQ stride+40(FP), R11
	PAIRS(DI, JOIN8, JOIN4, JOIN1)
