// Loops over vectors of 16 bytes, in which an element's bytes do not depend on its place: the
// elements left at the end go through the same instructions, one at a time, in the first lane.
// The assembler lacks most floating-point operations on vectors: they are encoded here.

#define SINGLE 0
#define DOUBLE 0x00400000

// OP is Vd = Vn op Vm; FMLA adds the product to Vd. MAP is Vd = op Vn.
#define OP(op, size, n, m, d) WORD $((op) | (size) | ((m)<<16) | ((n)<<5) | (d))
#define MAP(op, size, n, d) WORD $((op) | (size) | ((n)<<5) | (d))

#define FADD 0x4E20D400
#define FSUB 0x4EA0D400
#define FMUL 0x6E20DC00
#define FDIV 0x6E20FC00
#define FMLA 0x4E20CC00
#define FMAX 0x4E20F400
#define FADDP 0x6E20D400
#define FMAXP 0x6E20F400
#define FABS 0x4EA0F800
#define FSQRT 0x6EA1F800
#define FCMEQ0 0x4EA0D800
#define FCMLE0 0x6EA0D800

// MOVE, WITHOUT and CHOOSE are of bits: Vd = Vn, Vn and not Vm, and Vn where Vd has ones, else Vm.
#define MOVE(n, d) WORD $(0x4EA01C00 | ((n)<<16) | ((n)<<5) | (d))
#define WITHOUT(n, m, d) WORD $(0x4E601C00 | ((m)<<16) | ((n)<<5) | (d))
#define CHOOSE(n, m, d) WORD $(0x6E601C00 | ((m)<<16) | ((n)<<5) | (d))

// What a loop reads at R1, and at R2: a vector into V0, and V1.
#define X VLD1.P 16(R1), [V0.B16]
#define XY X; VLD1.P 16(R2), [V1.B16]

// LOOP writes V2, which the kernel makes of what is read, to R0 for n = R3 elements of the given
// size, 1<<shift to a vector.
#define LOOP(VECTOR, ELEMENT, PUT, shift, size, KERNEL) \
	LSR $shift, R3, R4 \
	CBZ R4, rest \
vector: \
	VECTOR \
	KERNEL(size) \
	VST1.P [V2.B16], 16(R0) \
	SUBS $1, R4 \
	BNE vector \
rest: \
	ANDS $((1<<shift)-1), R3 \
	BEQ done \
one: \
	ELEMENT \
	KERNEL(size) \
	PUT \
	SUBS $1, R3 \
	BNE one \
done: \
	RET

// REDUCE gathers n = R3 elements in V16 to V19: the kernel takes what is read into the register that
// it is given. Four vectors are taken at a time, then one, then one element, whose vector has zeros in
// its other lanes.
#define REDUCE(VECTOR, ELEMENT, shift, size, KERNEL) \
	VEOR V16.B16, V16.B16, V16.B16 \
	VEOR V17.B16, V17.B16, V17.B16 \
	VEOR V18.B16, V18.B16, V18.B16 \
	VEOR V19.B16, V19.B16, V19.B16 \
	LSR $(shift+2), R3, R4 \
	CBZ R4, some \
four: \
	VECTOR \
	KERNEL(size, 16) \
	VECTOR \
	KERNEL(size, 17) \
	VECTOR \
	KERNEL(size, 18) \
	VECTOR \
	KERNEL(size, 19) \
	SUBS $1, R4 \
	BNE four \
some: \
	AND $((4<<shift)-1), R3 \
	LSR $shift, R3, R4 \
	CBZ R4, rest \
vector: \
	VECTOR \
	KERNEL(size, 16) \
	SUBS $1, R4 \
	BNE vector \
rest: \
	ANDS $((1<<shift)-1), R3 \
	BEQ done \
one: \
	ELEMENT \
	KERNEL(size, 17) \
	SUBS $1, R3 \
	BNE one \
done:

// GATHER takes V16 to V19 together, and then neighbouring lanes in pairs: of two lanes that leaves
// one, of four two.
#define GATHER(op, PAIRS, size) \
	OP(op, size, 16, 17, 16) \
	OP(op, size, 18, 19, 18) \
	OP(op, size, 16, 18, 16) \
	OP(PAIRS, size, 16, 16, 16)
