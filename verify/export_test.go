package verify

// For leaves_test.go, which makes runs with the command line and so cannot be in this
// package.

type Recomputed = recomputed

var (
	Complete   = complete
	ClaimsOf   = claimsOf
	Recompute  = (*Options).recompute
	Compare    = (*recomputed).compare
	Uncompared = (*recomputed).unchecked
)
