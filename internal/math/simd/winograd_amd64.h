// What the transforms of winograd_amd64.s and winograd_avx512_amd64.s share: V0 … V15 are registers of
// WIDE bytes.

// SPREAD multiplies the six numbers in V0 … V5 by Bᵀ: the results are in V0, V11,
// V6, V1, V9 and V5. V12 … V15 hold 2, ½, 2½ and a.
#define SPREAD \
	VMOVAPS V4, V6 \
	VMOVAPS V3, V8 \
	VMOVAPS V4, V9 \
	VMOVAPS V1, V10 \
	VFNMADD231PS V12, V2, V6 \
	VFNMADD231PS V12, V1, V8 \
	VFNMADD231PS V13, V2, V9 \
	VFMSUB231PS V12, V3, V10 \
	VADDPS V4, V0, V0 \
	VADDPS V1, V5, V5 \
	VMOVAPS V6, V11 \
	VMOVAPS V9, V1 \
	VFNMADD231PS V14, V2, V0 \
	VFNMADD231PS V14, V3, V5 \
	VFMADD231PS V15, V8, V11 \
	VFNMADD231PS V15, V8, V6 \
	VFMADD231PS V15, V10, V1 \
	VFNMADD231PS V15, V10, V9

// GATHER multiplies the six numbers in V0 … V5 by Aᵀ: the results are in V0, V10, V6
// and V5. V12 … V15 hold 2, ½, 4 and a.
#define GATHER \
	VADDPS V2, V1, V6 \
	VSUBPS V2, V1, V7 \
	VADDPS V4, V3, V8 \
	VSUBPS V4, V3, V9 \
	VADDPS V6, V0, V0 \
	VMULPS V13, V6, V6 \
	VMULPS V13, V7, V11 \
	VMOVAPS V7, V10 \
	VADDPS V8, V0, V0 \
	VFMADD231PS V12, V8, V6 \
	VFMADD231PS V14, V9, V11 \
	VFMADD231PS V12, V9, V10 \
	VFMADD231PS V15, V11, V5 \
	VMULPS V15, V10, V10

// SPREADCOLUMNS is the second half of winogradIn.
#define SPREADCOLUMNS \
	MOVQ dst+0(FP), SI \
	MOVQ step+8(FP), DX \
	MOVQ room+40(FP), DI \
	STEPS \
	MOVQ $6, CX \
column: \
	VMOVUPS (DI), V0 \
	VMOVUPS (6*WIDE)(DI), V1 \
	VMOVUPS (12*WIDE)(DI), V2 \
	VMOVUPS (18*WIDE)(DI), V3 \
	VMOVUPS (24*WIDE)(DI), V4 \
	VMOVUPS (30*WIDE)(DI), V5 \
	SPREAD \
	LEAQ (SI)(R9*1), AX \
	VMOVUPS V0, (SI) \
	VMOVUPS V11, (SI)(R8*1) \
	VMOVUPS V6, (SI)(R8*2) \
	VMOVUPS V1, (AX) \
	VMOVUPS V9, (AX)(R8*1) \
	VMOVUPS V5, (AX)(R8*2) \
	ADDQ $WIDE, DI \
	ADDQ DX, SI \
	DECQ CX \
	JNE  column

// GATHERCOLUMNS is the first half of winogradOut, after its beginning.
#define GATHERCOLUMNS \
column: \
	LEAQ (SI)(R9*1), AX \
	VMOVUPS (SI), V0 \
	VMOVUPS (SI)(R8*1), V1 \
	VMOVUPS (SI)(R8*2), V2 \
	VMOVUPS (AX), V3 \
	VMOVUPS (AX)(R8*1), V4 \
	VMOVUPS (AX)(R8*2), V5 \
	GATHER \
	VMOVUPS V0, (DI) \
	VMOVUPS V10, (6*WIDE)(DI) \
	VMOVUPS V6, (12*WIDE)(DI) \
	VMOVUPS V5, (18*WIDE)(DI) \
	ADDQ $WIDE, DI \
	ADDQ DX, SI \
	DECQ CX \
	JNE  column

// FACTORS sets V12 … V15, of which the third is the one at third.
#define FACTORS(third) \
	VBROADCASTSS ·winogradFactors+0(SB), V12 \
	VBROADCASTSS ·winogradFactors+4(SB), V13 \
	VBROADCASTSS ·winogradFactors+third(SB), V14 \
	VBROADCASTSS ·winogradFactors+12(SB), V15

// STEPS sets R8 and R9 to 6 and 18 of the steps in DX.
#define STEPS \
	LEAQ (DX)(DX*2), R8 \
	ADDQ R8, R8 \
	LEAQ (R8)(R8*2), R9

// TURNED and TURN read and write a row of what is turned halfway.
#define TURNED \
	VMOVUPS (DI), V0 \
	VMOVUPS (1*WIDE)(DI), V1 \
	VMOVUPS (2*WIDE)(DI), V2 \
	VMOVUPS (3*WIDE)(DI), V3 \
	VMOVUPS (4*WIDE)(DI), V4 \
	VMOVUPS (5*WIDE)(DI), V5
#define TURN \
	VMOVUPS V0, (DI) \
	VMOVUPS V11, (1*WIDE)(DI) \
	VMOVUPS V6, (2*WIDE)(DI) \
	VMOVUPS V1, (3*WIDE)(DI) \
	VMOVUPS V9, (4*WIDE)(DI) \
	VMOVUPS V5, (5*WIDE)(DI)

// FOURS turns four rows of V0 … V3 into columns, FOURSBACK the columns V0, V10, V6 and V5 into the rows
// V0, V5, V6 and V7.
#define FOURS \
	VUNPCKLPS V1, V0, V4 \
	VUNPCKHPS V1, V0, V5 \
	VUNPCKLPS V3, V2, V6 \
	VUNPCKHPS V3, V2, V7 \
	VUNPCKLPD V6, V4, V0 \
	VUNPCKHPD V6, V4, V1 \
	VUNPCKLPD V7, V5, V2 \
	VUNPCKHPD V7, V5, V3

#define FOURSBACK \
	VUNPCKLPS V10, V0, V1 \
	VUNPCKHPS V10, V0, V2 \
	VUNPCKLPS V5, V6, V3 \
	VUNPCKHPS V5, V6, V4 \
	VUNPCKLPD V3, V1, V0 \
	VUNPCKHPD V3, V1, V5 \
	VUNPCKLPD V4, V2, V6 \
	VUNPCKHPD V4, V2, V7
