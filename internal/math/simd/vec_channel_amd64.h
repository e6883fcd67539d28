// The dropout mask of the kernels of Channel: R8 is the arguments, R9 the mask, R10 its
// element that belongs to x[0], R13 channelArgs.bytes.

#define MASKPOINTERS \
	MOVQ 32(R8), R9 \
	MOVQ 40(R8), R10 \
	MOVQ 48(R8), R13

// BITS brings the bits of the elements from AX on to every lane of Y14.
#define BITS \
	LEAQ (R10)(AX*1), R11 \
	MOVQ R11, CX \
	ANDQ $7, CX \
	SHRQ $3, R11 \
	ANDQ R13, R11 \
	MOVQ (R9)(R11*1), R11 \
	SHRQ CX, R11 \
	VMOVD R11, X14 \
	VPBROADCASTD X14, Y14
