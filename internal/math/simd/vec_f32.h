// The names of the loops for float32, and the sizes of their arguments.

#define SIZE 4

#define mul ·mulF32
#define scaleShift ·scaleShiftF32
#define combine ·combineF32
#define rectify ·rectifyF32
#define dot ·dotF32
#define sum ·sumF32
#define maxAbs ·maxAbsF32

// ARGS_A_N is the bytes of A bytes and N numbers.
#define ARGS_16_1 20
#define ARGS_24_1 28
#define ARGS_24_2 32
#define ARGS_32_1 36
#define ARGS_32_2 40
#define ARGS_32_3 44
