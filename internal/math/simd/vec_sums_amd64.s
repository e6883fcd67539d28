//go:build !purego

#include "textflag.h"
#include "vec_f64_amd64.h"

// SUM4 adds the four numbers of a register up.
#define SUM4(Ya, Xa) \
	VEXTRACTF128 $1, Ya, X0 \
	VADDPD X0, Xa, Xa \
	VPERMILPD $1, Xa, X0 \
	VADDSD X0, Xa, Xa

// SUMS reads the arguments of the sums; END returns them.
#define SUMS(shifts, leasts) \
	MOVQ dst+0(FP), DI \
	MOVQ x+8(FP), SI \
	MOVQ n+16(FP), CX \
	VBROADCASTSD shift+24(FP), shifts \
	VBROADCASTSD least+32(FP), leasts \
	MOVQ lanes+40(FP), R9 \
	VXORPD Y10, Y10, Y10 \
	VXORPD Y11, Y11, Y11

#define END \
	SUM4(Y10, X10) \
	SUM4(Y11, X11) \
	VMOVSD X10, sum+48(FP) \
	VMOVSD X11, moment+56(FP) \
	VZEROUPPER \
	RET

#define RANK(LOAD, STORE) \
	LOAD((SI)(AX*8), Y0) \
	VCMPPD $0x1d, Y8, Y0, Y1 \
	VCMPPD $0x1e, Y9, Y0, Y2 \
	VPSUBQ Y1, Y10, Y10 \
	VPSUBQ Y2, Y11, Y11 \
	VMAXPD Y0, Y12, Y12

// COUNT adds the four integers of a register up.
#define COUNT(Ya, Xa, to) \
	VEXTRACTI128 $1, Ya, X0 \
	VPADDQ X0, Xa, Xa \
	VPSHUFD $0x4e, Xa, X0 \
	VPADDQ X0, Xa, Xa \
	VMOVQ Xa, to

// func rankF64(x *float64, n int, lo, hi float64) (largest float64, atLeast, above int)
// The lanes beyond the end hold −Inf.
TEXT ·rankF64(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VBROADCASTSD lo+16(FP), Y8
	VBROADCASTSD hi+24(FP), Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	MOVQ $0xfff0000000000000, R8
	VMOVQ R8, X12
	VBROADCASTSD X12, Y12
	VMOVAPD Y12, Y7
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~3, DX
	JZ rest

four:
	RANK(WHOLE_LOAD, WHOLE_STORE)
	ADDQ $4, AX
	CMPQ AX, DX
	JLT four

rest:
	MASK
	VMASKMOVPD (SI)(AX*8), Y15, Y0
	VBLENDVPD Y15, Y0, Y7, Y0
	VCMPPD $0x1d, Y8, Y0, Y1
	VCMPPD $0x1e, Y9, Y0, Y2
	VPAND Y15, Y1, Y1
	VPAND Y15, Y2, Y2
	VPSUBQ Y1, Y10, Y10
	VPSUBQ Y2, Y11, Y11
	VMAXPD Y0, Y12, Y12

done:
	COUNT(Y10, X10, R10)
	COUNT(Y11, X11, R11)
	VEXTRACTF128 $1, Y12, X0
	VMAXPD X0, X12, X12
	VPERMILPD $1, X12, X0
	VMAXSD X0, X12, X12
	VMOVSD X12, largest+32(FP)
	MOVQ R10, atLeast+40(FP)
	MOVQ R11, above+48(FP)
	VZEROUPPER
	RET

// TERMS takes the first coefficient in y, and r, to a polynomial: the others are at R9.
#define TERMS(FMA, r, y) \
	FMA 128(R9), r, y \
	FMA 160(R9), r, y \
	FMA 192(R9), r, y \
	FMA 224(R9), r, y \
	FMA 256(R9), r, y \
	FMA 288(R9), r, y \
	FMA 320(R9), r, y \
	FMA 352(R9), r, y \
	FMA 384(R9), r, y \
	FMA 416(R9), r, y \
	FMA 448(R9), r, y \
	FMA 480(R9), r, y \
	FMA 512(R9), r, y

// EXPSUMS: x − shift in Y3, r in Y0, the polynomial in Y2, the power of 2 in Y1.
#define EXPSUMS(LOAD, STORE, KEEP) \
	LOAD((SI)(AX*8), Y0) \
	VSUBPD Y8, Y0, Y3 \
	VCMPPD $0x1d, Y9, Y3, Y4 \
	VMAXPD Y9, Y3, Y3 \
	VMULPD (R9), Y3, Y1 \
	VROUNDPD $8, Y1, Y1 \
	VMOVAPD Y3, Y0 \
	VFNMADD231PD 32(R9), Y1, Y0 \
	VFNMADD231PD 64(R9), Y1, Y0 \
	VMOVUPD 96(R9), Y2 \
	TERMS(VFMADD213PD, Y0, Y2) \
	VCVTPD2DQY Y1, X1 \
	VPMOVSXDQ X1, Y1 \
	VPSLLQ $52, Y1, Y1 \
	VPADDQ Y1, Y2, Y2 \
	VANDPD Y4, Y2, Y2 \
	KEEP \
	STORE(Y2, (DI)(AX*8)) \
	VADDPD Y2, Y10, Y10 \
	VFMADD231PD Y2, Y3, Y11

#define ALL
#define PART VANDPD Y15, Y2, Y2; VANDPD Y15, Y3, Y3

// func expSumsF64(dst, x *float64, n int, shift, least float64, lanes *float64) (sum, moment float64)
TEXT ·expSumsF64(SB), NOSPLIT, $0-64
	CMPB ·useAVX512(SB), $0
	JEQ narrow
	JMP expSumsWide<>(SB)

narrow:
	SUMS(Y8, Y9)
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~3, DX
	JZ rest

four:
	EXPSUMS(WHOLE_LOAD, WHOLE_STORE, ALL)
	ADDQ $4, AX
	CMPQ AX, DX
	JLT four

rest:
	MASK
	EXPSUMS(PART_LOAD, PART_STORE, PART)

done:
	END

// WIDESUMS is EXPSUMS of eight elements under the mask K1. The sums have four lanes, as with AVX2:
// the halves of a register are added one after the other.
#define WIDESUMS \
	VMOVUPD.Z (SI)(AX*8), K1, Z0 \
	VSUBPD Z8, Z0, Z3 \
	VCMPPD $0x1d, Z9, Z3, K1, K2 \
	VMAXPD Z9, Z3, Z3 \
	VMULPD.BCST (R9), Z3, Z1 \
	VRNDSCALEPD $8, Z1, Z1 \
	VMOVAPD Z3, Z0 \
	VFNMADD231PD.BCST 32(R9), Z1, Z0 \
	VFNMADD231PD.BCST 64(R9), Z1, Z0 \
	VBROADCASTSD 96(R9), Z2 \
	TERMS(VFMADD213PD.BCST, Z0, Z2) \
	VCVTPD2DQ Z1, Y1 \
	VPMOVSXDQ Y1, Z1 \
	VPSLLQ $52, Z1, Z1 \
	VPADDQ Z1, Z2, Z2 \
	VMOVAPD.Z Z2, K2, Z2 \
	VMOVAPD.Z Z3, K1, Z3 \
	VMOVUPD Z2, K1, (DI)(AX*8) \
	VADDPD Y2, Y10, Y10 \
	VFMADD231PD Y2, Y3, Y11 \
	VEXTRACTF64X4 $1, Z2, Y2 \
	VEXTRACTF64X4 $1, Z3, Y3 \
	VADDPD Y2, Y10, Y10 \
	VFMADD231PD Y2, Y3, Y11

// expSumsWide is expSumsF64 with AVX-512.
TEXT expSumsWide<>(SB), NOSPLIT, $0-64
	SUMS(Z8, Z9)
	KXNORB K1, K1, K1
	XORQ AX, AX
	MOVQ CX, DX
	ANDQ $~7, DX
	JZ rest

eight:
	WIDESUMS
	ADDQ $8, AX
	CMPQ AX, DX
	JLT eight

rest:
	ANDQ $7, CX
	JZ done
	MOVL $1, DX
	SHLL CX, DX
	DECL DX
	KMOVB DX, K1
	WIDESUMS

done:
	END
