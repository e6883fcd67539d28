package ledger

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// A Budget limits the inputs of one subject that are answered. The same input in two requests counts twice.
type Budget struct {
	Releases int           `json:"releases" toml:"releases"` // in one period, at least 1
	Period   time.Duration `json:"period_ns" toml:"period"`  // whole seconds; 0: one period without an end
}

// check returns an error if nothing can be counted by the budget.
func (b Budget) check() error {
	switch {
	case b.Releases < 1 || b.Releases > math.MaxInt32:
		return fmt.Errorf("a budget of %d releases: it must be from 1 to %d", b.Releases, math.MaxInt32)
	case b.Period < 0 || b.Period%time.Second != 0:
		return fmt.Errorf("a period of %v: it must be a whole number of seconds, or 0 for one without an end", b.Period)
	}
	return nil
}

// start returns when the period of a moment began, in Unix seconds. Periods are multiples of their
// length since 1970, so that all subjects have the same ones.
func (b Budget) start(now time.Time) int64 {
	if b.Period == 0 {
		return 0
	}
	length := int64(b.Period / time.Second)
	return max(0, now.Unix()) / length * length
}

// left returns how long the period that began at start lasts beyond a moment; 0: without an end.
func (b Budget) left(start int64, now time.Time) time.Duration {
	if b.Period == 0 {
		return 0
	}
	return time.Unix(start, 0).Add(b.Period).Sub(now)
}

// Span says for how long a budget is.
func (b Budget) Span() string {
	if b.Period == 0 {
		return "in all"
	}
	return "in each period of " + b.Period.String()
}

// ErrClosed is the error of a ledger that was closed.
var ErrClosed = errors.New("the ledger is closed")

// An ExhaustedError says that the budget of a subject does not cover a request.
// Nothing was debited.
type ExhaustedError struct {
	Budget Budget
	Used   int           // releases of this period
	Asked  int           // different inputs of the request, whether stored or not
	Wait   time.Duration // until the next period; 0: there is none
}

// Error returns one line with the numbers.
func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("the budget of this subject is %d releases %s: %d are used, and the request asks for %d", e.Budget.Releases, e.Budget.Span(), e.Used, e.Asked)
}
