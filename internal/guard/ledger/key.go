package ledger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"os"
)

// keySize is the length of the key in bytes, that of the hash.
const keySize = sha256.Size

// A Subject is whom a release is about: the HMAC of a name.
type Subject [16]byte

// An Input is one input of one subject to one mechanism: the HMAC of all three.
type Input [16]byte

// makeKey draws a key and writes it to a new file that only its owner can read.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	rand.Read(key) // never fails: crypto/rand ends the process instead
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(key)
	if err == nil {
		err = f.Sync()
	}
	return key, errors.Join(err, f.Close())
}

// tag returns the HMAC of some parts, whose lengths are hashed with them.
func (l *Ledger) tag(parts ...[]byte) (t [16]byte) {
	h := hmac.New(sha256.New, l.key)
	var length [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write(p)
	}
	copy(t[:], h.Sum(nil))
	return t
}

// Subject returns the subject of that name.
func (l *Ledger) Subject(name string) Subject { return l.tag([]byte("subject"), []byte(name)) }

// Input returns an input of a subject. mechanism names what makes releases of inputs, such as the
// digest of a model and a lattice: another mechanism makes another release. Inputs that differ in
// the sign of zeros only are the same.
func (l *Ledger) Input(s Subject, mechanism string, x []float32) Input {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		bits := uint32(0)
		if v != 0 {
			bits = math.Float32bits(v)
		}
		b = binary.LittleEndian.AppendUint32(b, bits)
	}
	return l.tag([]byte("input"), s[:], []byte(mechanism), b)
}
