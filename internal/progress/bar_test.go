package progress

import (
	"testing"
	"time"
)

func TestTimeLeftOfBars(t *testing.T) {
	for _, c := range []struct {
		since      time.Duration
		done, left int
		want       string
	}{
		{10 * time.Second, 5, 10, ", 20s left"}, {10 * time.Second, 0, 10, ""}, {10 * time.Second, 10, 0, ""},
		{-time.Hour, 5, 10, ""}, // the clock was set back
		{time.Hour, 1, 200, ", days left"}, {1000 * time.Hour, 1, 1 << 62, ", days left"},
	} {
		if got := timeLeft(c.since, c.done, c.left); got != c.want {
			t.Errorf("timeLeft(%v, %d, %d) = %q, want %q", c.since, c.done, c.left, got, c.want)
		}
	}
}

// A bar shows the share that is done, beside the words of the lines.
func TestDrawing(t *testing.T) {
	b := &Bar{what: "bounding", total: 40, first: 0, started: time.Now().Add(-10 * time.Second), done: 10}
	for total, want := range map[int]string{40: "|█████               | bounding: 10 of 40, 30s left", 5: "|████████████████████| bounding: 10 of 5, after 10s", -1: "bounding: 10, after 10s"} {
		b.total = total
		if got := b.drawing(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A bar's words fit the terminal: the time left stays where there is room for it.
func TestFitted(t *testing.T) {
	for _, c := range []struct {
		columns int
		want    string
	}{
		{40, "training a classifier, 5s left"}, {24, "training a cla…, 5s left"}, {15, "training a cla…"}, {3, "tr…"}, {0, "…"}, {-9, "…"},
	} {
		if got := fitted("training a classifier", ", 5s left", c.columns); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}
