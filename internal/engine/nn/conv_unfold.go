package nn

import "tattle/internal/math/simd"

// unfold writes the rows of col for channels [c0, c1) of group g of the tile (im2col): row
// (c·kH + r)·kW + s holds, for each output of the tile, the input that kernel entry (r, s)
// multiplies in channel c.
func (k *convColumns[T]) unfold(col []T, t convTile, g, c0, c1 int) {
	cols, per, taps := k.outputs(t), t.rows()*k.outW, k.kH*k.kW
	planes := k.borrow(k.planesSize(c1 - c0))
	defer k.giveBack(planes)
	for e := t.e0; e < t.e1; e++ {
		if k.pairs {
			for c := c0; c < c1; c++ {
				plane := k.x[((e*k.groups+g)*k.inG+c)*k.inHW:][:k.inHW]
				for r := range k.kH {
					row := (c*k.kH + r) * 2
					even, odd := col[row*cols+(e-t.e0)*per:][:per], col[(row+1)*cols+(e-t.e0)*per:][:per]
					simd.Deinterleave(even, odd, k.pairsAt(plane, t, r), t.rows(), k.outW, k.strideH*k.inW)
				}
			}
			continue
		}
		k.spread(planes, t, e, g, c0, c1)
		for p, at := range k.at[:(c1-c0)*taps] {
			simd.CopyRows(col[(c0*taps+p)*cols+(e-t.e0)*per:], planes[at:], t.rows(), k.outW, k.outW, k.planes.outW)
		}
	}
}

// layOut decides where the planes lie that a tile of so many rows reads. A plane is a part of a padded channel: every strideH-th row
// and every strideW-th column, from one of the first places on. So a kernel entry multiplies a block of one plane. The block begins at
// k.at, and its rows are as far apart as those of the plane. Where such planes are not smaller than the columns, each kernel entry has
// its own plane.
func (k *convColumns[T]) layOut(rows int) {
	reachH, reachW := (k.kH-1)*k.dilH, (k.kW-1)*k.dilW
	p, high := k.window, rows+reachH/k.strideH
	p.kH, p.kW, p.dilH, p.dilW = min(k.strideH, reachH+1), min(k.strideW, reachW+1), 1, 1
	p.outH, p.outW = k.outH+reachH/k.strideH, k.outW+reachW/k.strideW
	if k.strideW == 1 { // the zeros after a row serve as those before the next one
		p.outW -= min(k.left, p.outW-k.left-k.inW, reachW, k.outW) // a row of outputs and the kernel's reach must fit
	}
	k.planes, k.high = k.window, rows
	fewer := p.kH*p.kW*high*p.outW < k.kH*k.kW*rows*k.outW
	if fewer {
		k.planes, k.high = p, high
	}
	for entry := range k.depth {
		at := entry * k.high * k.planes.outW
		if fewer {
			c, h, w := entry/(k.kH*k.kW), entry/k.kW%k.kH*k.dilH, entry%k.kW*k.dilW
			plane := (c*p.kH+h%k.strideH)*p.kW + w%k.strideW
			at = (plane*high+h/k.strideH)*p.outW + w/k.strideW
		}
		k.at = append(k.at, at)
	}
}

// planesSize returns how many numbers the planes of so many channels take. It includes those that a product reads beyond the last row.
func (k *convColumns[T]) planesSize(channels int) int {
	return channels*k.planes.kH*k.planes.kW*k.high*k.planes.outW + k.planes.outW + simd.RowsSlack
}

// spread writes the planes of channels [c0, c1) of group g of example e, for the rows of the tile.
func (k *convColumns[T]) spread(planes []T, t convTile, e, g, c0, c1 int) {
	size := k.high * k.planes.outW
	for c := c0; c < c1; c++ {
		x := k.x[((e*k.groups+g)*k.inG+c)*k.inHW:][:k.inHW]
		for r := range k.planes.kH {
			for s := range k.planes.kW {
				unfoldTap(&k.planes, planes[:size], x, r, s, t.r0)
				planes = planes[size:]
			}
		}
	}
	clear(planes)
}

// pairsAt returns the inputs in plane, starting at the first one that kernel entry (r, 0)
// multiplies in the tile. It is used if the kernel is 2 wide and its stride is 2.
func (k *convColumns[T]) pairsAt(plane []T, t convTile, r int) []T {
	return plane[(t.r0*k.strideH+r)*k.inW:]
}

// unfoldTap writes to dst, for the outputs from row r0 on, the inputs in plane that kernel
// entry (r, s) multiplies; 0 for padding.
func unfoldTap[T Float](k *window, dst, plane []T, r, s, r0 int) {
	b, ok := k.tapBlock(r, s, r0, len(dst)/k.outW)
	if !ok {
		clear(dst)
		return
	}
	clear(dst[:b.top*k.outW])
	clear(dst[b.bottom*k.outW:])
	if b.lo > 0 || b.hi < k.outW {
		for i := b.top; i < b.bottom; i++ {
			clear(dst[i*k.outW:][:b.lo])
			clear(dst[i*k.outW+b.hi : (i+1)*k.outW])
		}
	}
	take(dst[b.top*k.outW+b.lo:], plane[b.at:], b.bottom-b.top, b.hi-b.lo, k.outW, k.strideH*k.inW, k.strideW)
}

// tapBlock is the outputs of a tile, in the rows [top, bottom) and the columns [lo, hi), for which a
// kernel entry lies inside of the input plane: at at for the first of them.
type tapBlock struct{ top, bottom, lo, hi, at int }

// tapBlock returns that of kernel entry (r, s) in the given number of rows of outputs from r0 on, and
// whether there is one.
func (k *window) tapBlock(r, s, r0, rows int) (b tapBlock, ok bool) {
	top, bottom := span(k.outH, k.inH, k.strideH, r*k.dilH, k.top)
	b.top, b.bottom = min(max(top-r0, 0), rows), min(bottom-r0, rows)
	b.lo, b.hi = span(k.outW, k.inW, k.strideW, s*k.dilW, k.left)
	h, w := (r0+b.top)*k.strideH+r*k.dilH-k.top, b.lo*k.strideW+s*k.dilW-k.left
	b.at = h*k.inW + w
	return b, b.top < b.bottom && b.lo < b.hi
}

// fold is the transpose of unfold: it adds the rows of col for group g to the inputs that
// unfold copies them from.
func (k *convColumns[T]) fold(col []T, t convTile, g int) {
	cols := k.outputs(t)
	per := (t.r1 - t.r0) * k.outW
	for e := t.e0; e < t.e1; e++ {
		for c := range k.inG {
			plane := k.x[((e*k.groups+g)*k.inG+c)*k.inHW:][:k.inHW]
			for r := range k.kH {
				if k.pairs {
					row := (c*k.kH + r) * 2
					even, odd := col[row*cols+(e-t.e0)*per:][:per], col[(row+1)*cols+(e-t.e0)*per:][:per]
					simd.Interleave(k.pairsAt(plane, t, r), even, odd, t.r1-t.r0, k.outW, k.strideH*k.inW)
					continue
				}
				for s := range k.kW {
					row := (c*k.kH+r)*k.kW + s
					if b, ok := k.tapBlock(r, s, t.r0, t.r1-t.r0); ok {
						src := col[row*cols+(e-t.e0)*per+b.top*k.outW+b.lo:]
						put(plane[b.at:], src, b.bottom-b.top, b.hi-b.lo, k.strideH*k.inW, k.outW, k.strideW)
					}
				}
			}
		}
	}
}

// take copies every stride-th entry of rows: dst[r·dstRow + i] = src[r·srcRow + i·stride], i < n.
func take[T Float](dst, src []T, rows, n, dstRow, srcRow, stride int) {
	switch stride {
	case 1:
		simd.CopyRows(dst, src, rows, n, dstRow, srcRow)
	case 2:
		simd.Even(dst, src, rows, n, dstRow, srcRow)
	default:
		for r := range rows {
			to, from := dst[r*dstRow:][:n], src[r*srcRow:]
			for i := range to {
				to[i] = from[i*stride]
			}
		}
	}
}

// put is the adjoint of take, added to dst: dst[r·dstRow + i·stride] += src[r·srcRow + i], i < n.
func put[T Float](dst, src []T, rows, n, dstRow, srcRow, stride int) {
	switch stride {
	case 1:
		for r := range rows {
			to := dst[r*dstRow:][:n]
			simd.Add(to, to, src[r*srcRow:][:n])
		}
	case 2:
		simd.AddEven(dst, src, rows, n, dstRow, srcRow)
	default:
		for r := range rows {
			to, from := dst[r*dstRow:], src[r*srcRow:][:n]
			for i, v := range from {
				to[i*stride] += v
			}
		}
	}
}
