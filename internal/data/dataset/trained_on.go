package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strings"
)

// TrainedOn is the key of a model's metadata under which it records what it was trained on: the
// least hashes of its training inputs, whatever their labels, separated by blanks. As the hashes
// are random, the share of them that other examples have estimates the share of the training
// inputs that these have.
const TrainedOn = "tattle.trained_on"

const (
	recorded  = 256 // hashes of a record: of 1,000 examples out of 60,000, four are expected to be found
	hashBytes = 6   // of a recorded hash, so that another input is found with a probability below 1e-12
)

// RecordTraining returns metadata with the training set added to what it records already.
func RecordTraining(metadata map[string]string, train *Set) map[string]string {
	m := maps.Clone(metadata)
	if m == nil {
		m = map[string]string{}
	}
	all := append(strings.Fields(m[TrainedOn]), train.inputHashes()...)
	slices.Sort(all)
	all = slices.Compact(all)
	m[TrainedOn] = strings.Join(all[:min(len(all), recorded)], " ")
	return m
}

// FoundIn returns how many of the training inputs that metadata records are in s, and how many it
// records.
func (s *Set) FoundIn(metadata map[string]string) (found, of int) {
	recorded := strings.Fields(metadata[TrainedOn])
	if len(recorded) == 0 {
		return 0, 0
	}
	has := map[string]bool{}
	for _, h := range s.inputHashes() {
		has[h] = true
	}
	for _, h := range recorded {
		if has[h] {
			found++
		}
	}
	return found, len(recorded)
}

// inputHashes returns a hash of every example's input.
func (s *Set) inputHashes() []string {
	n := s.size()
	list := make([]string, s.Len())
	bytes := make([]byte, 4*n)
	for i := range list {
		b := bytes
		if s.Values == nil {
			b = s.Pixels[i*n:][:n]
		} else {
			for j, v := range s.Values[i*n:][:n] {
				binary.LittleEndian.PutUint32(b[4*j:], math.Float32bits(v))
			}
		}
		sum := sha256.Sum256(b)
		list[i] = hex.EncodeToString(sum[:hashBytes])
	}
	return list
}
