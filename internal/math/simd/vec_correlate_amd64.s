//go:build !purego

#include "textflag.h"

// Correlations of lines of 64 bytes: see Correlate. Steps and offsets are in bytes here.
//
//	SI, DI   source and destination of the block    R13 from a source to the next
//	R14, R15, BX  3, 5 and 7 times R13              R12 from a destination to the next
//	R8  offsets     R9  weights of the first tap    R10 taps
//	AX  source at the tap   DX its weights          CX  the tap     R11 blocks left
//
// Sums begin with a bias, at DX.

#define ARGUMENTS(SHIFT) \
	MOVQ dst+0(FP), DI \
	MOVQ dstStep+8(FP), R12 \
	MOVQ src+16(FP), SI \
	MOVQ srcStep+24(FP), R13 \
	MOVQ offsets+32(FP), R8 \
	MOVQ w+40(FP), R9 \
	MOVQ taps+48(FP), R10 \
	MOVQ block+56(FP), AX \
	MOVQ blocks+64(FP), R11 \
	SHLQ $SHIFT, R12 \
	SHLQ $SHIFT, R13 \
	LEAQ (R13)(R13*2), R14 \
	LEAQ (R13)(R13*4), R15 \
	LEAQ (R14)(R13*4), BX

// BLOCKS computes R11 blocks of so many lines, and returns.
#define BLOCKS(block, tap, LINES, BEGIN, WEIGHTS, TAP, PUT, lines, scale) \
block: \
	MOVQ bias+72(FP), DX \
	LINES(BEGIN) \
	XORQ CX, CX \
	MOVQ R9, DX \
tap: \
	MOVQ (R8)(CX*8), AX \
	LEAQ (SI)(AX*scale), AX \
	WEIGHTS \
	LINES(TAP) \
	ADDQ $64, DX \
	INCQ CX \
	CMPQ CX, R10 \
	JLT  tap \
	LINES(PUT) \
	LEAQ (SI)(R13*lines), SI \
	DECQ R11 \
	JNE  block \
	VZEROUPPER \
	RET

// With AVX2 a line is two registers, and a block has four lines or one.
#define ONE(OP) OP((AX), 32(AX), Y0, Y1)
#define FOUR(OP) \
	ONE(OP) \
	OP((AX)(R13*1), 32(AX)(R13*1), Y2, Y3) \
	OP((AX)(R13*2), 32(AX)(R13*2), Y4, Y5) \
	OP((AX)(R14*1), 32(AX)(R14*1), Y6, Y7)

#define BEGIN(low, high, Ya, Yb) \
	VMOVUPS (DX), Ya \
	VMOVUPS 32(DX), Yb
#define WEIGHTS \
	VMOVUPS (DX), Y8 \
	VMOVUPS 32(DX), Y9
#define TAP32(low, high, Ya, Yb) \
	VFMADD231PS low, Y8, Ya \
	VFMADD231PS high, Y9, Yb
#define TAP64(low, high, Ya, Yb) \
	VFMADD231PD low, Y8, Ya \
	VFMADD231PD high, Y9, Yb
#define PUT(low, high, Ya, Yb) \
	VMOVUPS Ya, (DI) \
	VMOVUPS Yb, 32(DI) \
	ADDQ R12, DI

// With AVX-512 it is one, and a block has eight lines, four or one.
#define WIDEONE(OP) OP((AX), Z0)
#define WIDEFOUR(OP) \
	WIDEONE(OP) \
	OP((AX)(R13*1), Z1) \
	OP((AX)(R13*2), Z2) \
	OP((AX)(R14*1), Z3)
#define WIDEEIGHT(OP) \
	WIDEFOUR(OP) \
	OP((AX)(R13*4), Z4) \
	OP((AX)(R15*1), Z5) \
	OP((AX)(R14*2), Z6) \
	OP((AX)(BX*1), Z7)

#define WIDEBEGIN(at, Za) VMOVUPS (DX), Za
#define WIDEWEIGHTS VMOVUPS (DX), Z8
#define WIDETAP32(at, Za) VFMADD231PS at, Z8, Za
#define WIDETAP64(at, Za) VFMADD231PD at, Z8, Za
#define WIDEPUT(at, Za) \
	VMOVUPS Za, (DI) \
	ADDQ R12, DI

#define CORRELATE(SHIFT, scale, TAP) \
	ARGUMENTS(SHIFT) \
	CMPQ AX, $4 \
	JLT  alone \
	BLOCKS(four, fourTap, FOUR, BEGIN, WEIGHTS, TAP, PUT, 4, scale) \
alone: \
	BLOCKS(one, oneTap, ONE, BEGIN, WEIGHTS, TAP, PUT, 1, scale)

#define WIDECORRELATE(SHIFT, scale, TAP) \
	ARGUMENTS(SHIFT) \
	CMPQ AX, $4 \
	JLT  alone \
	JEQ  few \
	BLOCKS(eight, eightTap, WIDEEIGHT, WIDEBEGIN, WIDEWEIGHTS, TAP, WIDEPUT, 8, scale) \
few: \
	BLOCKS(four, fourTap, WIDEFOUR, WIDEBEGIN, WIDEWEIGHTS, TAP, WIDEPUT, 4, scale) \
alone: \
	BLOCKS(one, oneTap, WIDEONE, WIDEBEGIN, WIDEWEIGHTS, TAP, WIDEPUT, 1, scale)

// func correlateF32(dst *float32, dstStep int, src *float32, srcStep int, offsets *int, w *float32, taps, block, blocks int, bias *float32)
TEXT ·correlateF32(SB), NOSPLIT, $0-80
	CORRELATE(2, 4, TAP32)

// func correlateF64(dst *float64, dstStep int, src *float64, srcStep int, offsets *int, w *float64, taps, block, blocks int, bias *float64)
TEXT ·correlateF64(SB), NOSPLIT, $0-80
	CORRELATE(3, 8, TAP64)

// func correlateWideF32(dst *float32, dstStep int, src *float32, srcStep int, offsets *int, w *float32, taps, block, blocks int, bias *float32)
TEXT ·correlateWideF32(SB), NOSPLIT, $0-80
	WIDECORRELATE(2, 4, WIDETAP32)

// func correlateWideF64(dst *float64, dstStep int, src *float64, srcStep int, offsets *int, w *float64, taps, block, blocks int, bias *float64)
TEXT ·correlateWideF64(SB), NOSPLIT, $0-80
	WIDECORRELATE(3, 8, WIDETAP64)
