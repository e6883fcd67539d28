//go:build !purego

#include "go_asm.h"
#include "textflag.h"

#define LANES 8
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define V15 Y15

// PART sets the mask of the last CX elements.
#define PART \
	NEGQ CX \
	LEAQ ·vecMask(SB), R8 \
	VMOVDQU 32(R8)(CX*4), Y7
#define PART_LOAD(from, reg) VMASKMOVPS from, Y7, reg
#define PART_STORE(reg, to) VMASKMOVPS reg, Y7, to
#define ZERO(reg) VXORPS reg, reg, reg

#include "vec_adam_amd64.h"

// func adamF32(w, grad, m, v *float32, n int, p *AdamCoefficients)
TEXT ·adamF32(SB), NOSPLIT, $0-48
	CMPB ·useAVX512(SB), $0
	JEQ narrow
	JMP ·adamWideF32(SB)

narrow:
	ADAM
