// The names of the loops for float64, and the sizes of their arguments.

#define SIZE 8

#define mul ·mulF64
#define scaleShift ·scaleShiftF64
#define combine ·combineF64
#define rectify ·rectifyF64
#define dot ·dotF64
#define sum ·sumF64
#define maxAbs ·maxAbsF64

// ARGS_A_N is the bytes of A bytes and N numbers.
#define ARGS_16_1 24
#define ARGS_24_1 32
#define ARGS_24_2 40
#define ARGS_32_1 40
#define ARGS_32_2 48
#define ARGS_32_3 56
