package audit_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
)

// Two slices are enough to audit: the outputs of a classifier, and the labels of the same
// examples. These scores answer y, and add s to both.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	sample := &audit.Sample{
		Name: "scores", Kind: curious.Raw, Target: "y", Classes: []string{"no", "yes"},
		Sensitive: []audit.Attribute{{Name: "s", Values: []string{"a", "b"}}},
	}
	for range 400 {
		y, s := r.IntN(2), r.IntN(2)
		leak := float32(2*s) + float32(r.NormFloat64())
		sample.Y = append(sample.Y, y)
		sample.Sensitive[0].Labels = append(sample.Sensitive[0].Labels, s)
		sample.Outputs = append(sample.Outputs, float32(4*(1-y))+leak, float32(4*y)+leak)
	}
	result, err := (&audit.Record{Sample: sample}).Audit(context.Background(), audit.Options{Seed: 1, Attacks: []string{"logistic", "lookup"}, Permutations: 999})
	if err != nil {
		panic(err)
	}
	f := result.Findings[0]
	fmt.Println(f.Attribute, "-", f.Verdict)
	fmt.Println("at least 10 points:", f.Excess.Low > .10)
	// Output:
	// s - leaky beyond the target
	// at least 10 points: true
}
