package nn

import "tattle/internal/math/simd"

// winogradWork is a block of tiles under way: some consecutive ones of all images, in
// panels, and what becomes of them.
type winogradWork struct {
	*winogradPlan
	parts    []winogradPart // the images that have tiles in the block
	in, out  [][simd.WinogradColumns]int
	v, m     []float32 // transformed tiles and products
	vStep    int       // between the points of v
	mStep    int       // and of m
	planeIn  int       // size of a channel's parts as they are read, with rims,
	planeOut int       // and as they are written
}

// winogradPart is the tiles [t0, t1) of an image, of rows of tiles from row on. Their
// planes begin at in and at out.
type winogradPart struct{ image, t0, t1, row, in, out int }

// begin sets the block to the tiles [t0, t1).
func (k *winogradWork) begin(t0, t1 int) {
	const cols, side = simd.WinogradColumns, simd.WinogradTile
	panels := (t1 - t0 + cols - 1) / cols
	k.parts, k.planeIn, k.planeOut = k.parts[:0], 0, 0
	k.in, k.out = sized(k.in, panels), sized(k.out, panels)
	for t := t0; t < t1; {
		e := t / k.tiles
		end := min(t1, (e+1)*k.tiles)
		p := winogradPart{e, t - e*k.tiles, end - e*k.tiles, (t - e*k.tiles) / k.across, k.planeIn, k.planeOut}
		for ; t < end; t++ {
			row, col := (t-e*k.tiles)/k.across-p.row, (t-e*k.tiles)%k.across
			k.in[(t-t0)/cols][(t-t0)%cols] = 4 * (p.in + side*(row*k.stride+col))
			k.out[(t-t0)/cols][(t-t0)%cols] = 4 * (p.out + side*(row*k.width+col))
		}
		lines := side * ((p.t1-1)/k.across + 1 - p.row)
		k.planeIn += (lines + 2) * k.stride
		k.planeOut += lines * k.width
		k.parts = append(k.parts, p)
	}
	for t := t1 - t0; t < panels*cols; t++ { // nobody reads what comes of these
		k.in[t/cols][t%cols] = 0
		k.out[t/cols][t%cols] = 4 * k.planeOut
	}
	k.planeOut += side * k.width
	k.vStep, k.mStep = panels*cols*k.inC+cols, panels*cols*k.rows+cols
	k.v, k.m = sized(k.v, simd.WinogradPoints*k.vStep), sized(k.m, simd.WinogradPoints*k.mStep)
}

// spreadChannels transforms the tiles of the input channels [lo, hi).
func (k *winogradWork) spreadChannels(lo, hi int) {
	const cols = simd.WinogradColumns
	plane, room := k.spares.borrow(k.planeIn), k.spares.borrow(len(simd.WinogradRoom{}))
	defer k.spares.giveBack(plane, room)
	clear(plane)
	for c := lo; c < hi; c++ {
		for i := range k.parts {
			k.read(plane, &k.parts[i], c)
		}
		for i := range k.in {
			at := (i*k.inC + c) * cols
			simd.WinogradIn(k.v[at:], k.vStep, plane, &k.in[i], k.stride, (*simd.WinogradRoom)(room))
		}
	}
}

// read copies what a part's tiles see of channel c; the rim outside the image is zero
// already.
func (k *winogradWork) read(plane []float32, p *winogradPart, c int) {
	const side = simd.WinogradTile
	x := k.x[(p.image*k.inC+c)*k.inH*k.inW:][:k.inH*k.inW]
	first := side*p.row - k.top // of the plane's lines in the image
	last := side*((p.t1-1)/k.across+1) + 2 - k.top
	width := min(k.inW, k.stride-k.left)
	if h := max(first, 0); h < min(last, k.inH) {
		simd.CopyRows(plane[p.in+(h-first)*k.stride+k.left:], x[h*k.inW:], min(last, k.inH)-h, width, k.stride, k.inW)
	}
}

// multiplyPoints computes the products [lo, hi) of all panels.
func (k *winogradWork) multiplyPoints(lo, hi int) {
	const cols = simd.WinogradColumns
	size := k.rows * k.inC
	for point := lo; point < hi; point++ {
		u := k.u[point*size:][:size]
		for i := range k.in {
			v, m := k.v[point*k.vStep+i*k.inC*cols:], k.m[point*k.mStep+i*k.rows*cols:]
			simd.WinogradMultiply(m[:k.rows*cols], u, v[:k.inC*cols], k.outC, k.inC)
		}
	}
}

// multiplyPanels computes the products of the panels of weights [lo, hi), which it transforms, with
// the one panel of tiles.
func (k *winogradWork) multiplyPanels(lo, hi int) {
	const cols = simd.WinogradColumns
	height := simd.WinogradRows()
	block := simd.Block(k.inC)
	step := (block + 1) * height // so that entries of a kernel do not meet in the cache
	u := k.spares.borrow(simd.WinogradPoints * step)
	defer k.spares.giveBack(u)
	for panel := lo; panel < hi; panel++ {
		for c := 0; c < k.inC; c += block {
			terms := min(block, k.inC-c)
			simd.WinogradExpand(u, step, k.u[(panel*k.inC+c)*9*height:], terms)
			simd.WinogradMultiplyFew(k.m[panel*height*cols:], k.mStep, u, step, k.v[c*cols:], k.vStep, terms, c > 0)
		}
	}
}

// gatherChannels takes the products of the output channels [lo, hi) back.
func (k *winogradWork) gatherChannels(lo, hi int) {
	const cols = simd.WinogradColumns
	plane, room := k.spares.borrow(k.planeOut), k.spares.borrow(len(simd.WinogradRoom{}))
	defer k.spares.giveBack(plane, room)
	for o := lo; o < hi; o++ {
		for i := range k.out {
			at := (i*k.rows + o) * cols
			simd.WinogradOut(plane, &k.out[i], k.width, k.m[at:], k.mStep, (*simd.WinogradRoom)(room))
		}
		for i := range k.parts {
			k.write(plane, &k.parts[i], o)
		}
	}
}

// write stores a part's outputs of channel o.
func (k *winogradWork) write(plane []float32, p *winogradPart, o int) {
	const side = simd.WinogradTile
	var bias []float32
	if k.b != nil {
		bias = k.b[o : o+1]
	}
	at := o * k.outH * k.outW
	y := k.y[p.image*k.outC*k.outH*k.outW+at:][:k.outH*k.outW]
	for row := p.row; row*k.across < p.t1; { // rows of tiles, whole ones together
		from := side * max(p.t0-row*k.across, 0)
		to := min(side*(p.t1-row*k.across), k.outW)
		together := 1
		if from == 0 {
			together = max(1, (p.t1-row*k.across)/k.across)
		}
		first := side*row*k.outW + from
		k.end.finish(y[first:], plane[p.out+side*(row-p.row)*k.width+from:], p.image, at+first,
			min(side*together, k.outH-side*row), to-from, k.outW, k.width, bias)
		row += together
	}
}
