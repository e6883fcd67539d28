// The loops of the elementwise kernels. A kernel is a macro of a way to load, a way
// to store, an offset in bytes and four registers to work in; it takes elements from
// index AX on. CX is the number of elements; AX, CX, DX, R8 and Y15 are the loops'.
// Whole registers go first, in pairs where a kernel leaves registers for two, and the
// rest under a mask, with the same operations in every lane: an element does not
// depend on its place.

#define WHOLE_LOAD32(from, reg) VMOVUPS from, reg
#define WHOLE_STORE32(reg, to) VMOVUPS reg, to
#define PART_LOAD32(from, reg) VMASKMOVPS from, Y15, reg
#define PART_STORE32(reg, to) VMASKMOVPS reg, Y15, to

// MASK32 leaves the last CX mod 8 elements to a mask in Y15, or is done.
#define MASK32 \
	ANDQ $7, CX \
	JZ done \
	NEGQ CX \
	LEAQ ·vecMask(SB), R8 \
	VMOVDQU 32(R8)(CX*4), Y15

#define PAIRS32(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~15, DX \
	JZ one \
two: \
	KERNEL(WHOLE_LOAD32, WHOLE_STORE32, 0, Y0, Y1, Y2, Y3) \
	KERNEL(WHOLE_LOAD32, WHOLE_STORE32, 32, Y4, Y5, Y6, Y7) \
	ADDQ $16, AX \
	CMPQ AX, DX \
	JLT two \
one: \
	TESTQ $8, CX \
	JZ rest \
	KERNEL(WHOLE_LOAD32, WHOLE_STORE32, 0, Y0, Y1, Y2, Y3) \
	ADDQ $8, AX \
rest: \
	MASK32 \
	KERNEL(PART_LOAD32, PART_STORE32, 0, Y0, Y1, Y2, Y3) \
done:

#define SINGLES32(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~7, DX \
	JZ rest \
one: \
	KERNEL(WHOLE_LOAD32, WHOLE_STORE32) \
	ADDQ $8, AX \
	CMPQ AX, DX \
	JLT one \
rest: \
	MASK32 \
	KERNEL(PART_LOAD32, PART_STORE32) \
done:

#define WHOLE_LOAD64(from, reg) VMOVUPD from, reg
#define WHOLE_STORE64(reg, to) VMOVUPD reg, to
#define PART_LOAD64(from, reg) VMASKMOVPD from, Y15, reg
#define PART_STORE64(reg, to) VMASKMOVPD reg, Y15, to

// MASK64 leaves the last CX mod 4 elements to a mask in Y15, or is done.
#define MASK64 \
	ANDQ $3, CX \
	JZ done \
	NEGQ CX \
	LEAQ ·vecMask(SB), R8 \
	VMOVDQU 32(R8)(CX*8), Y15

#define PAIRS64(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~7, DX \
	JZ one \
two: \
	KERNEL(WHOLE_LOAD64, WHOLE_STORE64, 0, Y0, Y1, Y2, Y3) \
	KERNEL(WHOLE_LOAD64, WHOLE_STORE64, 32, Y4, Y5, Y6, Y7) \
	ADDQ $8, AX \
	CMPQ AX, DX \
	JLT two \
one: \
	TESTQ $4, CX \
	JZ rest \
	KERNEL(WHOLE_LOAD64, WHOLE_STORE64, 0, Y0, Y1, Y2, Y3) \
	ADDQ $4, AX \
rest: \
	MASK64 \
	KERNEL(PART_LOAD64, PART_STORE64, 0, Y0, Y1, Y2, Y3) \
done:

#define SINGLES64(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~3, DX \
	JZ rest \
one: \
	KERNEL(WHOLE_LOAD64, WHOLE_STORE64) \
	ADDQ $4, AX \
	CMPQ AX, DX \
	JLT one \
rest: \
	MASK64 \
	KERNEL(PART_LOAD64, PART_STORE64) \
done:
