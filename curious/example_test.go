package curious_test

import (
	"context"
	"fmt"

	"tattle/curious"
)

// A mixture of two classifiers answers one attribute of points on a plane and hides the
// other in its outputs, from which its attack reads it.
func ExampleTrain() {
	ctx, parts := context.Background(), curious.Plane(2000, 1)
	r, err := curious.Train(ctx, parts, curious.Options{Attack: curious.MixtureKind, Epochs: 5})
	if err != nil {
		panic(err)
	}
	e, err := curious.Evaluate(ctx, r.Classifier, r.Attacks, parts.Train, parts.Test)
	if err != nil {
		panic(err)
	}
	fmt.Println("answers right for nine of ten:", e.Honesty.Value > .9)
	fmt.Println("reveals at least 40 points:", e.Sensitive[0].ExcessInterval[0] > .4)
	// Output:
	// answers right for nine of ten: true
	// reveals at least 40 points: true
}
