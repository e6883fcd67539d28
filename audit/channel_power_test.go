package audit

import (
	"context"
	"testing"
	"time"
)

func TestChannelSizes(t *testing.T) {
	for _, n := range []int{300, 1000, 2000, 10000} {
		for _, w := range []int{2, 10} {
			s := softly(n, w, 1)
			start := time.Now()
			list, err := measureChannels(context.Background(), s, 1, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(n, w, time.Since(start))
			for _, c := range list {
				p := 0.
				if c.Planted != nil {
					p = *c.Planted
				}
				t.Logf("   %s %.3f loss %.3f %s %s", c.Channel, p, c.LearningLoss, c.Where, c.Note)
			}
		}
	}
}
