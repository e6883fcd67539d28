package audit

import "math/rand/v2"

// Streams of the seed, one for each use of chance.
const (
	streamFolds uint64 = iota + 1
	streamSplit
	streamFit
	_ // of a list that is gone: other streams keep their numbers
	streamPermute
	streamIndependence
	streamControl
	streamChannel
	streamGiven
	streamOrder
	streamPeople
	streamNear

	streamDefence uint64 = iota + 90
	streamNoise
)

// random returns the generator of one use of chance.
func random(seed, stream, index uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream<<32|index))
}
