// Package run carries a long computation through: random numbers that belong
// to an example and not to the order of work, files that are written whole or
// not at all, and folders of shards from which an interrupted run goes on.
package run

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Rand returns the generator of one restart (or draw) of one example: ChaCha8
// keyed by the SHA-256 of seed, example and restart, each as 8 bytes, big
// endian. What it draws depends on these three alone, however examples are
// batched, ordered or spread over machines.
func Rand(seed uint64, example, restart int) *rand.Rand {
	b := make([]byte, 0, 24)
	b = binary.BigEndian.AppendUint64(b, seed)
	b = binary.BigEndian.AppendUint64(b, uint64(example))
	b = binary.BigEndian.AppendUint64(b, uint64(restart))
	return rand.New(rand.NewChaCha8(sha256.Sum256(b)))
}
