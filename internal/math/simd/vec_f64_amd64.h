// What the loops and kernels for float64 are made of.

#include "vec_f64.h"

#define finish ·finishF64
#define larger ·largerF64

#define ARGS_80_1 88

#define LANES 4
#define VMOVUP VMOVUPD
#define VMASKMOVP VMASKMOVPD
#define VADDP VADDPD
#define VMULP VMULPD
#define VMAXP VMAXPD
#define VXORP VXORPD
#define VANDP VANDPD
#define VCMPP VCMPPD
#define VBLENDVP VBLENDVPD
#define VFMADD213P VFMADD213PD
#define VFMADD231P VFMADD231PD
#define VBROADCASTS VBROADCASTSD
#define VPCMPGT VPCMPGTQ
#define VPSRL VPSRLQ
#define MOVS MOVSD

#include "vec_amd64.h"
