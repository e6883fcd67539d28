package nn

import "testing"

// A borrower gets the smallest buffer that is large enough, or one in the place of the largest: there are never more than are borrowed at once.
func TestSpares(t *testing.T) {
	var s spares[float32]
	large, small := s.borrow(9), s.borrow(4)
	s.giveBack(large, small)
	if b := s.borrow(3); cap(b) != 4 || len(b) != 3 {
		t.Errorf("%d of %d numbers, want 3 of 4", len(b), cap(b))
	} else {
		s.giveBack(b)
	}
	if b := s.borrow(20); len(b) != 20 || len(s.free) != 1 || cap(s.free[0]) != 4 {
		t.Errorf("%d numbers, and %d buffers are left", len(b), len(s.free))
	}
}
