package dataset

// album is decoded pictures of some of a source's files.
type album struct {
	rows   []int   // which of the files, in no order
	pixels []uint8 // [rows, 3, side, side]
}

// places returns where each of n files is in the album, −1 for those that are
// not.
func (a album) places(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	for k, i := range a.rows {
		at[i] = k
	}
	return at
}

// lacks returns the wanted rows, of n files, that the album has not.
func (a album) lacks(wanted []int, n int) []int {
	at := a.places(n)
	var missing []int
	for _, i := range wanted {
		if at[i] < 0 {
			missing = append(missing, i)
		}
	}
	return missing
}

// with returns an album with room for more pictures of size bytes behind those it
// has.
func (a album) with(rows []int, size int) album {
	pixels := make([]uint8, (len(a.rows)+len(rows))*size)
	copy(pixels, a.pixels)
	return album{append(a.rows, rows...), pixels}
}

// choose returns the pictures, of size bytes each, of the wanted rows of n files,
// in their order. The album is used up: they are moved to its front, so that none
// is held twice, unless most of it would be held for nothing.
func (a album) choose(wanted []int, n, size int) []uint8 {
	at := a.places(n)
	order := make([]int, len(wanted))
	for k, i := range wanted {
		order[k] = at[i]
	}
	if 2*len(order) < len(a.rows) {
		return pick(a.pixels, size, order)
	}
	arrange(a.pixels, size, order)
	end := len(order) * size
	return a.pixels[:end:end]
}
