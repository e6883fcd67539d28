package onnx

// blocks reads the size of the blocks between depth and space.
func (d *decoder) blocks(n *node) (x operand, b int, err error) {
	if x, err = d.operand(n, 0); err != nil {
		return
	}
	size, err := n.int("blocksize", 0)
	if err == nil && (len(x.shape) != 4 || size < 1 || size > maxWindow) {
		err = malformed("blocks of %d in shape %v", size, x.shape)
	}
	return x, int(size), err
}

// depthToSpace spreads channels over blocks of pixels; the block's place is the
// slower part of the channel in mode DCR and the faster in CRD.
func (d *decoder) depthToSpace(n *node) error {
	x, b, err := d.blocks(n)
	if err != nil {
		return err
	}
	mode, err := n.text("mode", "DCR")
	if err != nil {
		return err
	}
	s := x.shape
	if s[1]%(b*b) != 0 || mode != "DCR" && mode != "CRD" {
		return malformed("mode %q, blocks of %d in shape %v", mode, b, s)
	}
	c := s[1] / (b * b)
	shape := []int{s[0], c, s[2] * b, s[3] * b}
	if mode == "CRD" {
		return d.chain(n, x).view([]int{s[0] * c, b, b, s[2], s[3]}).transpose([]int{0, 3, 1, 4, 2}).end(0, shape)
	}
	return d.chain(n, x).view([]int{s[0], b, b, c, s[2], s[3]}).transpose([]int{0, 3, 4, 1, 5, 2}).end(0, shape)
}

// spaceToDepth is the inverse of depthToSpace in mode DCR.
func (d *decoder) spaceToDepth(n *node) error {
	x, b, err := d.blocks(n)
	if err != nil {
		return err
	}
	s := x.shape
	if s[2]%b != 0 || s[3]%b != 0 {
		return malformed("blocks of %d in shape %v", b, s)
	}
	shape := []int{s[0], s[1] * b * b, s[2] / b, s[3] / b}
	c := d.chain(n, x).view([]int{s[0], s[1], s[2] / b, b, s[3] / b, b})
	return c.transpose([]int{0, 3, 5, 1, 2, 4}).end(0, shape)
}
