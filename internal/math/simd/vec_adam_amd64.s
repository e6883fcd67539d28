//go:build !purego

#include "go_asm.h"
#include "textflag.h"

#define LANES 8
#include "ymm_amd64.h"

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
