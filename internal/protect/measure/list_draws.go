package measure

import (
	"fmt"

	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

const (
	// DefaultListDraws makes the limits of probabilities about two points wide, and takes
	// about six CPU-seconds against the 60,000 images of MNIST.
	DefaultListDraws = 2000

	// fewerDraws: noise that is not Gaussian gets one draw where Gaussian noise gets so many,
	// because its likelihoods are not a matrix product.
	fewerDraws = 4
	// leastDraws is the smallest number of draws: two with other noise, see bayes.Run.
	leastDraws = 2 * fewerDraws
	// leastDefaultDraws is the smallest number of draws that is used by default. The limits of
	// fewer say next to nothing.
	leastDefaultDraws = 100
	// mostDrawn is the largest number of values that all draws together hold: 3 GB.
	mostDrawn = 3 << 27
)

// setDraws sets the default number of draws, as many as fit into memory. It returns an
// OptionError if the chosen number is too small or does not fit, and notes the reason if no
// default does.
func (l *lists) setDraws() (fits bool, err error) {
	most := l.mostDraws()
	switch {
	case l.Draws == 0 && most < leastDefaultDraws:
		l.leaveOut("limits from lists of inputs: %d draws of %s need more than %s of memory", leastDefaultDraws, l.drawnValues(), bytesOf(mostDrawn))
		return false, nil
	case l.Draws == 0:
		l.Draws = min(DefaultListDraws, most)
	case l.Draws < leastDraws:
		return false, WrongOption("ListDraws", "%d: must be at least %d", l.Draws, leastDraws)
	case l.Draws > most:
		return false, WrongOption("ListDraws", "%d: at most %d draws of %s fit into %s of memory", l.Draws, most, l.drawnValues(), bytesOf(mostDrawn))
	}
	return true, nil
}

// mostDraws returns the largest number of draws that fit into memory. A draw holds its releases,
// the features of its true input and the mean of its releases.
func (l *lists) mostDraws() int {
	most := mostDrawn / l.columns / (l.atOnce + 2)
	if !l.gaussian {
		most *= fewerDraws
	}
	return most
}

// drawnValues says what a draw holds.
func (l *lists) drawnValues() string {
	if q := l.atOnce; q > 1 {
		return fmt.Sprintf("%d releases of %d numbers", q, l.columns)
	}
	return fmt.Sprintf("%d numbers", l.columns)
}

// bytesOf prints the memory of so many float64 values.
func bytesOf(values int) string { return fmt.Sprintf("%.1f GB", float64(8*values)/1e9) }

// draws returns the number of draws: fewer if likelihoods are not a matrix product.
func (l *lists) draws() int {
	if l.gaussian {
		return l.Draws
	}
	return max(1, l.Draws/fewerDraws)
}

// possible reports whether posteriors can be computed, and notes the reason if not.
func (l *lists) possible() bool {
	if l.labelAlone() {
		return true
	}
	if (l.target.Noise == release.None{}) {
		l.leaveOut("limits from lists of inputs: without noise, the release identifies every input whose features differ from those of all others")
		return false
	}
	if _, ok := l.target.Noise.(bayes.Density); !ok {
		l.leaveOut("limits from lists of inputs: the density of this noise is not known")
		return false
	}
	return true
}

// Check returns an OptionError if the draws do not fit into memory on a release of front with
// that noise. Run returns it too, after whatever was computed before.
func (o ListOptions) Check(t Target) error {
	l := newLists(o, t)
	if !l.possible() {
		return nil
	}
	_, err := l.setDraws()
	return err
}
