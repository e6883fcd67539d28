// What the loops and kernels for float32 are made of.

#include "vec_f32.h"

#define finish ·finishF32
#define larger ·largerF32

#define ARGS_80_1 84

#define LANES 8
#define VMOVUP VMOVUPS
#define VMASKMOVP VMASKMOVPS
#define VADDP VADDPS
#define VMULP VMULPS
#define VMAXP VMAXPS
#define VXORP VXORPS
#define VANDP VANDPS
#define VCMPP VCMPPS
#define VBLENDVP VBLENDVPS
#define VFMADD213P VFMADD213PS
#define VFMADD231P VFMADD231PS
#define VBROADCASTS VBROADCASTSS
#define VPCMPGT VPCMPGTD
#define VPSRL VPSRLD
#define MOVS MOVSS

#include "vec_amd64.h"
