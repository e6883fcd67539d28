package onnx

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"tattle/internal/shared"
)

// mutantsEnv says how many mutants TestMutants makes.
const mutantsEnv = "TATTLE_MUTANTS"

// Random changes of the seeds, always the same: what FuzzDecode does, with every
// trial a change of structure.
func TestMutants(t *testing.T) {
	shared.Long(t, "thousands of damaged models")
	trials := 2000
	if n, err := strconv.Atoi(os.Getenv(mutantsEnv)); err == nil {
		trials = n
	}
	var files [][]byte
	for _, f := range seeds() {
		files = append(files, f.bytes())
	}
	for _, m := range classicalZoo() {
		files = append(files, m.file.bytes())
	}
	for i := range trials {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		choices := make([]byte, 2+r.IntN(30))
		for j := range choices {
			choices[j] = byte(r.Uint32())
		}
		k := r.IntN(len(files))
		func() {
			defer func() {
				if e := recover(); e != nil {
					t.Errorf("seed %d, choices %v: %v", k, choices, e)
					panic(e)
				}
			}()
			decodeMutant(t, files[k], choices)
		}()
		if t.Failed() {
			t.Fatalf("seed %d, choices %v", k, choices)
		}
	}
}
