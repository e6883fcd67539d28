// Sums of float32 in float64: sixteen elements at a time, then four, then the
// rest under a mask. Y0 to Y3 gather the plain sum, Y4 to Y7 the products.

#define CLEAR \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y6, Y6, Y6 \
	VXORPD Y7, Y7, Y7

// The two sums end up in X0 and X4.
#define GATHER \
	VADDPD Y1, Y0, Y0 \
	VADDPD Y3, Y2, Y2 \
	VADDPD Y2, Y0, Y0 \
	VADDPD Y5, Y4, Y4 \
	VADDPD Y7, Y6, Y6 \
	VADDPD Y6, Y4, Y4 \
	VEXTRACTF128 $1, Y0, X1 \
	VEXTRACTF128 $1, Y4, X5 \
	VADDPD X1, X0, X0 \
	VADDPD X5, X4, X4 \
	VPERMILPD $1, X0, X1 \
	VPERMILPD $1, X4, X5 \
	VADDSD X1, X0, X0 \
	VADDSD X5, X4, X4

// SUMS adds up the n elements in CX: TERMS(off, s, q) adds four to s and their products to q, and REST
// what is left, under the mask in X15, to Y1 and Y5.
#define SUMS(TERMS, REST) \
	XORQ AX, AX \
	CLEAR \
	MOVQ CX, DX \
	ANDQ $~15, DX \
	JZ some \
sixteen: \
	TERMS(0, Y0, Y4) \
	TERMS(16, Y1, Y5) \
	TERMS(32, Y2, Y6) \
	TERMS(48, Y3, Y7) \
	ADDQ $16, AX \
	CMPQ AX, DX \
	JLT sixteen \
some: \
	MOVQ CX, DX \
	ANDQ $~3, DX \
	JMP test \
four: \
	TERMS(0, Y0, Y4) \
	ADDQ $4, AX \
test: \
	CMPQ AX, DX \
	JLT four \
	ANDQ $3, CX \
	JZ done \
	NEGQ CX \
	LEAQ ·vecMask(SB), R8 \
	VMOVDQU 32(R8)(CX*4), X15 \
	REST \
done: \
	GATHER \
	VZEROUPPER
