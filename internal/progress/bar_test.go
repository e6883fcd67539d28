package progress

import (
	"io"
	"testing"
	"time"
)

// The time left follows from the pace of the workers, not from the time without any.
func TestPaceOfACrowd(t *testing.T) {
	began := time.Now().Add(-time.Hour)
	m := &Bar{workers: &Workers{Writer: io.Discard}, started: began, pace: began, first: -1}
	m.Set(64, 512) // of a run that goes on
	m.Set(64, 512)
	if !m.pace.Equal(began) {
		t.Error("time is counted before anything is done")
	}
	m.Set(128, 512)
	if m.first != 128 || time.Since(m.pace) > time.Minute {
		t.Errorf("an hour without workers counts: from %d on, since %v", m.first, m.pace)
	}
	pace := m.pace
	m.Set(192, 512)
	m.Set(256, 512)
	if m.first != 128 || !m.pace.Equal(pace) {
		t.Errorf("begins anew: from %d on, since %v", m.first, m.pace)
	}
}

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
	b := &Bar{what: "bounding", total: 40, first: 0, started: time.Now(), pace: time.Now().Add(-10 * time.Second), done: 10}
	for total, want := range map[int]string{40: "|█████               | bounding: 10 of 40, 30s left", 5: "|████████████████████| bounding: 10 of 5", -1: "bounding: 10"} {
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
