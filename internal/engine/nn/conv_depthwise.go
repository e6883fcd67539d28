package nn

import "tattle/internal/math/simd"

// convDepthwise computes a convolution whose groups have one input channel each. It lays as many
// channels as a line has numbers out beside one another, so that a line is one place of all their planes.
// Then each tap is a product of lines, whatever the kernel, its stride and its dilation: see simd.Correlate.
type convDepthwise[T Float] struct {
	convPlan
	*spares[T]
	forth, back *correlation
	columns     simd.Taps // of the gradient: where the inputs to a row of outputs begin

	// The operands of the product in progress.
	current               *correlation
	from, to, b, w, lines []T // lines is the weights of current
	end                   ending[T]

	// Of a gradient.
	n    int
	db   []float64
	keep T
}

// correlation takes planes to planes: an entry of a plane written is a sum of taps of the planes read, with
// zeros around them. The taps of row h are those of phase (h + shift) mod up, and begin at row
// (h + shift)/up·down; columns likewise. One of up and down is 1.
type correlation struct {
	inH, inW, outH, outW    int
	up, down, shift, before [2]int // before is the zeros before the first entry
	reach                   [2]int // places that the taps of an entry span
	read, written           int    // planes for each channel
	phases                  []phase

	band, bands int // rows written at a time
	high, wide  int // places of a plane, with its zeros, that they see
}

// phase is the taps of some entries, of each of the planes read in turn.
type phase struct {
	simd.Taps
	weights []int // their numbers
	first   int   // taps of the phases before
}

// lineBand is the bytes of lines aimed at: what the second-level cache holds.
const lineBand = 1 << 19

// newConvDepthwise returns nil if the layout would be much larger than the planes, or has very many phases.
func newConvDepthwise[T Float](p convPlan) *convDepthwise[T] {
	stride, one, pad := [2]int{p.strideH, p.strideW}, [2]int{1, 1}, [2]int{p.top, p.left}
	span := [2]int{(p.kH-1)*p.dilH + 1, (p.kW-1)*p.dilW + 1}
	behind := [2]int{(span[0] - 1) / stride[0], (span[1] - 1) / stride[1]}
	k := &convDepthwise[T]{
		convPlan: p, spares: sharedTiles[T](),
		forth: &correlation{
			inH: p.inH, inW: p.inW, outH: p.outH, outW: p.outW, up: one, down: stride, before: pad,
			reach: span, read: 1, written: p.outG,
		},
		back: &correlation{
			inH: p.outH, inW: p.outW, outH: p.inH, outW: p.inW, up: stride, down: one, shift: pad, before: behind,
			reach: [2]int{behind[0] + 1, behind[1] + 1}, read: p.outG, written: 1,
		},
	}
	if stride[0]*stride[1] > 64 || !k.forth.fit() || !k.back.fit() {
		return nil
	}
	line := simd.Line[T]()
	k.forth.addPhase(line, p.depth, func(t int) (row, column int, ok bool) {
		return t / p.kW * p.dilH, t % p.kW * p.dilW, true
	})
	for i := range stride[0] * stride[1] {
		// Tap r takes input h to output i where h + pad = i·stride + r·dilation.
		k.back.addPhase(line, p.depth, func(t int) (row, column int, ok bool) {
			row, column = t/p.kW*p.dilH-i/stride[1], t%p.kW*p.dilW-i%stride[1]
			ok = row%stride[0] == 0 && column%stride[1] == 0
			return behind[0] - row/stride[0], behind[1] - column/stride[1], ok
		})
	}
	columns := make([]int, p.outW)
	for j := range columns {
		columns[j] = j * p.strideW * line
	}
	k.columns = simd.NewTaps(columns)
	return k
}

// fit sets the sizes of bands. It returns false if the layout would be much larger than the planes.
func (c *correlation) fit() bool {
	const spacious = 16
	c.wide = c.base(1, c.outW-1) + c.reach[1]
	if area := (c.base(0, c.outH-1) - c.base(0, 0) + c.reach[0]) * c.wide; area > spacious*(c.inH*c.inW+c.outH*c.outW)+spacious {
		return false
	}
	row := 64 * c.wide * (1 + 2*c.read*c.down[0]/c.up[0])
	bands := (c.outH + max(1, lineBand/row) - 1) / max(1, lineBand/row)
	c.band = (c.outH + bands - 1) / bands
	c.bands = (c.outH + c.band - 1) / c.band
	c.high = (c.band-1+c.up[0]-1)/c.up[0]*c.down[0] + c.reach[0]
	return true
}

// base returns the place where the taps of row, or column, i begin.
func (c *correlation) base(axis, i int) int { return (i + c.shift[axis]) / c.up[axis] * c.down[axis] }

// addPhase appends the taps whose place is ok.
func (c *correlation) addPhase(line, depth int, place func(t int) (row, column int, ok bool)) {
	var f phase
	var offsets []int
	for t := range c.read * depth {
		if row, column, ok := place(t % depth); ok {
			offsets = append(offsets, ((t/depth*c.high+row)*c.wide+column)*line)
			f.weights = append(f.weights, t)
		}
	}
	f.Taps = simd.NewTaps(offsets)
	if last := len(c.phases) - 1; last >= 0 {
		f.first = c.phases[last].first + len(c.phases[last].weights)
	}
	c.phases = append(c.phases, f)
}

// rows returns the rows written of band i.
func (c *correlation) rows(i int) (h0, h1 int) { return i * c.band, min((i+1)*c.band, c.outH) }

// blocks returns how many lines the channels take.
func (k *convDepthwise[T]) blocks() int {
	return (k.op.InChannels + simd.Line[T]() - 1) / simd.Line[T]()
}

func (k *convDepthwise[T]) apply(y, x []T, w *Param, b []T, n int, end ending[T]) {
	k.b, k.end = b, end
	k.compute(k.forth, y, x, w, n)
}

func (k *convDepthwise[T]) adjoint(dx, dy []T, w *Param, n int) {
	k.b, k.end = nil, ending[T]{}
	k.compute(k.back, dx, dy, w, n)
}

func (k *convDepthwise[T]) compute(c *correlation, to, from []T, w *Param, n int) {
	k.current, k.to, k.from, k.lines = c, to, from, k.linesOf(c, w)
	simd.Parallel(n*k.blocks()*c.bands, 1+grain/(simd.Line[T]()*c.band*c.outW*k.depth*k.outG), k.runRange)
}

// linesOf returns the weights of a correlation in lines: for each block of channels, and each of its planes
// written, the taps of the phases in turn.
func (k *convDepthwise[T]) linesOf(c *correlation, p *Param) []T {
	w, line := values[T](p), simd.Line[T]()
	window := [4]int{k.strideH, k.strideW, k.dilH, k.dilW}
	return copyOf(p, form{wide: is64[T](), lines: true, trans: c == k.back, window: window}, func(lines *packing[T]) {
		lines.wide = sized(lines.wide, k.blocks()*k.outG*k.depth*line)
		clear(lines.wide)
		for i := range k.blocks() {
			_, first, channels := k.block(i)
			to := lines.wide[i*k.outG*k.depth*line:]
			for m := range c.written {
				for _, f := range c.phases {
					for _, t := range f.weights {
						for l := range channels {
							to[l] = w[((first+l)*k.outG+m)*k.depth+t]
						}
						to = to[line:]
					}
				}
			}
		}
	}).wide
}

// block returns the example and the channels of block i.
func (k *convDepthwise[T]) block(i int) (example, first, channels int) {
	example, first = i/k.blocks(), i%k.blocks()*simd.Line[T]()
	return example, first, min(simd.Line[T](), k.op.InChannels-first)
}

// runRange computes bands: those of a block of channels follow one another.
func (k *convDepthwise[T]) runRange(lo, hi int) {
	c, line := k.current, simd.Line[T]()
	in, flat, out := k.borrow(c.read*c.high*c.wide*line), k.borrow(c.high*c.inW*line), k.borrow(c.band*c.pitch()*line)
	bias := k.borrow(line)
	defer k.giveBack(in, flat, out, bias)
	clear(in)
	for i := lo; i < hi; i++ {
		e, first, channels := k.block(i / c.bands)
		h0, h1 := c.rows(i % c.bands)
		for m := range c.read {
			plane := k.from[((e*k.op.InChannels+first)*c.read+m)*c.inH*c.inW:]
			lay(c, in[m*c.high*c.wide*line:], flat, plane, channels, h0, h1)
		}
		for m := range c.written {
			clear(bias)
			if k.b != nil {
				for l := range channels {
					bias[l] = k.b[(first+l)*k.outG+m]
				}
			}
			lines := k.lines[(first*k.outG+m*line)*k.depth:]
			correlate(c, out, in, lines, bias, h0, h1)
			if k.end.rectify && k.end.alone() {
				n := ((h1-h0-1)*c.pitch() + c.outW) * line
				k.end.finish(out, out, 0, 0, 1, n, n, n, nil)
			}
			plane := ((e*k.op.InChannels+first)*c.written + m) * c.outH * c.outW
			lift(c, k.to[plane:], out, channels, h0, h1)
			if !k.end.alone() {
				at, ld := (first*k.outG+m)*k.outHW+h0*k.outW, k.outG*k.outHW
				y := k.to[e*k.op.OutChannels*k.outHW+at:]
				k.end.finish(y, y, e, at, channels, (h1-h0)*k.outW, ld, ld, nil)
			}
		}
	}
}

// lay lays planes out in lines: the places that the rows [h0, h1) see. Between rows in has zeros already.
func lay[T Float](c *correlation, in, flat, planes []T, channels, h0, h1 int) {
	line, ld := simd.Line[T](), c.read*c.inH*c.inW
	p0 := c.base(0, h0) - c.before[0] // of the first of them
	rows := c.base(0, h1-1) - c.base(0, h0) + c.reach[0]
	top, bottom := max(p0, 0), min(p0+rows, c.inH)
	columns := min(c.inW, c.wide-c.before[1])
	if top >= bottom || columns <= 0 {
		clear(in[:rows*c.wide*line])
		return
	}
	clear(in[:(top-p0)*c.wide*line])
	clear(in[(bottom-p0)*c.wide*line : rows*c.wide*line])
	in, planes = in[(top-p0)*c.wide*line:], planes[top*c.inW:]
	if columns == c.wide && columns == c.inW {
		simd.ToLines(in, planes, channels, ld, (bottom-top)*c.inW)
		return
	}
	simd.ToLines(flat, planes, channels, ld, (bottom-top)*c.inW)
	simd.CopyRows(in[c.before[1]*line:], flat, bottom-top, columns*line, c.wide*line, c.inW*line)
}

// run reports whether entries lie as what their taps see, so that rows of them, with the places
// between, are one run.
func (c *correlation) run() bool { return c.up == c.down && c.up == [2]int{1, 1} }

// pitch returns the lines from a row that correlate writes to the next.
func (c *correlation) pitch() int {
	if c.run() {
		return c.wide
	}
	return c.outW
}

// correlate sets out to the rows [h0, h1), with the weights of the phases in turn.
func correlate[T Float](c *correlation, out, in, w, bias []T, h0, h1 int) {
	line := simd.Line[T]()
	if c.run() {
		simd.Correlate(out, line, in[c.base(1, 0)*line:], line, (h1-h0-1)*c.wide+c.outW, c.phases[0].Taps, w[:len(c.phases[0].weights)*line], bias)
		return
	}
	up, down := c.up[1], c.down[1]
	for h := h0; h < h1; h++ {
		to, from := out[(h-h0)*c.outW*line:], in[(c.base(0, h)-c.base(0, h0))*c.wide*line:]
		for j := range min(up, c.outW) {
			f := c.phases[(h+c.shift[0])%c.up[0]*up+(j+c.shift[1])%up]
			n := (c.outW - j + up - 1) / up
			simd.Correlate(to[j*line:], up*line, from[c.base(1, j)*line:], down*line, n, f.Taps, w[f.first*line:][:len(f.weights)*line], bias)
		}
	}
}

// lift takes the rows [h0, h1) back to planes.
func lift[T Float](c *correlation, planes, out []T, channels, h0, h1 int) {
	line, ld := simd.Line[T](), c.written*c.outH*c.outW
	if c.pitch() == c.outW {
		simd.FromLines(planes[h0*c.outW:], ld, out, line, channels, (h1-h0)*c.outW)
		return
	}
	for h := h0; h < h1; h++ {
		simd.FromLines(planes[h*c.outW:], ld, out[(h-h0)*c.pitch()*line:], line, channels, c.outW)
	}
}

func (k *convDepthwise[T]) gradient(dw []T, db []float64, x, dy []T, n int, keep T) {
	k.w, k.db, k.from, k.to, k.n, k.keep = dw, db, x, dy, n, keep
	simd.Parallel(k.blocks(), 1, k.gradientRange)
}

// gradientRange computes the gradients of blocks of channels: those of a row of taps are a correlation of
// a row of cotangents with the inputs.
func (k *convDepthwise[T]) gradientRange(lo, hi int) {
	c, line := k.forth, simd.Line[T]()
	in, flat, dy := k.borrow(c.high*c.wide*line), k.borrow(c.high*c.inW*line), k.borrow(c.band*c.outW*line)
	sum, row := k.borrow(k.outG*k.depth*line), k.borrow(k.kW*line)
	defer k.giveBack(in, flat, dy, sum, row)
	clear(in)
	for i := lo; i < hi; i++ {
		_, first, channels := k.block(i)
		clear(sum)
		for j := range k.n * c.bands {
			plane := j/c.bands*k.op.InChannels + first
			h0, h1 := c.rows(j % c.bands)
			lay(c, in, flat, k.from[plane*k.inHW:], channels, h0, h1)
			for m := range k.outG {
				simd.ToLines(dy, k.to[(plane*k.outG+m)*k.outHW+h0*k.outW:], channels, k.outG*k.outHW, (h1-h0)*k.outW)
				for h := range (h1 - h0) * k.kH {
					h, r := h/k.kH, h%k.kH
					from := in[(h*k.strideH+r*k.dilH)*c.wide*line:]
					simd.Correlate(row, line, from, k.dilW*line, k.kW, k.columns, dy[h*k.outW*line:][:k.outW*line], nil)
					to := sum[(m*k.depth+r*k.kW)*line:][:len(row)]
					simd.Add(to, to, row)
				}
			}
		}
		taps := k.outG * k.depth
		for l := range channels {
			for t, v := range k.w[(first+l)*taps:][:taps] {
				if k.keep == 0 {
					v = 0
				}
				k.w[(first+l)*taps+t] = T(k.keep*v) + sum[t*line+l]
			}
		}
		for o := first * k.outG; o < (first+channels)*k.outG; o++ {
			for e := range k.n {
				k.db[o] += float64(simd.Sum(k.to[(e*k.op.OutChannels+o)*k.outHW:][:k.outHW]))
			}
		}
	}
}
