package nn

// fusible is a kernel that can take over operators that follow it, while its output
// is still in the caches. Whoever joins steps of a program for inference asks it,
// where nothing else reads the tensor in between. After fuseAdd has said yes, the
// kernel's step has one more input, the last: the other summand. Nothing is added
// after fuse has said yes.
type fusible interface {
	fuseAdd() bool                  // y becomes op(x) + r
	fuse(next kernel[float32]) bool // y becomes next(op(x)), or next(op(x) + r)
}

// epilogue is what a convolution does to its sum before it is stored: max(y + r, 0),
// or Slope times it below zero. The products of the rectifier need the sign of its
// input, which its output has, as slopes are not negative here.
type epilogue struct {
	add       bool
	rectifier *rectifier[float32] // or nil
}

func (e *epilogue) fuseAdd() bool {
	if e.add || e.rectifier != nil {
		return false
	}
	e.add = true
	return true
}

func (e *epilogue) fuse(next kernel[float32]) bool {
	r, ok := next.(*rectifier[float32])
	if !ok || e.rectifier != nil || !(r.slope > 0 || r.zero) {
		return false
	}
	e.rectifier = r
	return true
}
