package nn

// A Model maps p inputs to n features, in batches: [batch, p] → [batch, n], the
// batch following from the length. A method panics if a length is no multiple
// of p or does not match. dst must not overlap the other arguments. A Model is not
// safe for concurrent use.
type Model interface {
	// Dims returns the number of inputs and of features of one example.
	Dims() (p, n int)
	// Forward overwrites dst with a(x).
	Forward(dst, x []float32)
	// Forward64 is Forward in float64, on the same float32 parameters.
	Forward64(dst, x []float64)
	// Linearize evaluates the model at x, keeping what the products need. It is
	// valid until the next Linearize of the same Model.
	Linearize(x []float32) Linearization[float32]
	// Linearize64 is Linearize in float64; the two do not disturb each other.
	Linearize64(x []float64) Linearization[float64]
}

// A Linearization applies each example's own Jacobian J = ∂a/∂θ at the θ where
// the model was linearised, to k vectors per example at once; k follows from the
// lengths. dst must not overlap the other argument.
type Linearization[T Float] interface {
	// Features returns a(θ), [batch, n], for reading only.
	Features() []T
	// JVP overwrites dst with J·v: [batch, k, p] → [batch, k, n].
	JVP(dst, v []T)
	// VJP overwrites dst with Jᵀ·u: [batch, k, n] → [batch, k, p].
	VJP(dst, u []T)
}

// An Activity is a Linearization that knows rows of J to be zero, as those of a
// ReLU that is off.
type Activity interface {
	// Active overwrites dst, [batch, n]: false if that row of J is zero.
	Active(dst []bool)
}
