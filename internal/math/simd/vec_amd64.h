// The loops of the elementwise kernels. A kernel is a macro of a way to load, a way
// to store, an offset in bytes and four registers to work in; it takes elements from
// index AX on. CX is the number of elements; AX, CX, DX, R8 and Y15 are the loops'.
// Whole registers go first, in pairs where a kernel leaves registers for two, and the
// rest under a mask, with the same operations in every lane: an element does not
// depend on its place. What depends on the type of elements is in vec_f32_amd64.h and
// vec_f64_amd64.h, which include this.

#define WHOLE_LOAD(from, reg) VMOVUP from, reg
#define WHOLE_STORE(reg, to) VMOVUP reg, to
#define PART_LOAD(from, reg) VMASKMOVP from, Y15, reg
#define PART_STORE(reg, to) VMASKMOVP reg, Y15, to

// MASK leaves the last CX mod LANES elements to a mask in Y15, or is done.
#define MASK \
	ANDQ $(LANES-1), CX \
	JZ done \
	NEGQ CX \
	LEAQ ·vecMask(SB), R8 \
	VMOVDQU 32(R8)(CX*SIZE), Y15

#define PAIRS(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~(2*LANES-1), DX \
	JZ one \
two: \
	KERNEL(WHOLE_LOAD, WHOLE_STORE, 0, Y0, Y1, Y2, Y3) \
	KERNEL(WHOLE_LOAD, WHOLE_STORE, 32, Y4, Y5, Y6, Y7) \
	ADDQ $(2*LANES), AX \
	CMPQ AX, DX \
	JLT two \
one: \
	TESTQ $LANES, CX \
	JZ rest \
	KERNEL(WHOLE_LOAD, WHOLE_STORE, 0, Y0, Y1, Y2, Y3) \
	ADDQ $LANES, AX \
rest: \
	MASK \
	KERNEL(PART_LOAD, PART_STORE, 0, Y0, Y1, Y2, Y3) \
done:

#define SINGLES(KERNEL) \
	XORQ AX, AX \
	MOVQ CX, DX \
	ANDQ $~(LANES-1), DX \
	JZ rest \
one: \
	KERNEL(WHOLE_LOAD, WHOLE_STORE) \
	ADDQ $LANES, AX \
	CMPQ AX, DX \
	JLT one \
rest: \
	MASK \
	KERNEL(PART_LOAD, PART_STORE) \
done:
