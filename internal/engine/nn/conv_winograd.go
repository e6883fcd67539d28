package nn

import (
	"runtime"

	"tattle/internal/math/simd"
)

// convWinograd computes convolutions of 3×3 kernels with stride 1 as products of
// transformed tiles: see simd's Winograd. Forward it takes x to y; its adjoint is the
// same with the kernels turned round and channels exchanged. A sum depends on its
// tile alone, not on the batch, the blocks or the cores.
type convWinograd struct {
	forth, back winogradPlan
}

// newConvWinograd returns nil if the convolution has another kernel, or so few
// channels or outputs that tiles do not pay.
func newConvWinograd(p convPlan) *convWinograd {
	square := p.kH == 3 && p.kW == 3 && p.strideH == 1 && p.strideW == 1 && p.dilH == 1 && p.dilW == 1
	if !square || p.groups != 1 || p.top > 2 || p.left > 2 || min(p.inG, p.outG) < winogradChannels || !simd.HasWinograd() {
		return nil
	}
	k := &convWinograd{
		forth: winogradPlan{
			inC: p.inG, outC: p.outG, inH: p.inH, inW: p.inW, outH: p.outH, outW: p.outW, top: p.top, left: p.left,
			form: winogradForth,
		},
		back: winogradPlan{
			inC: p.outG, outC: p.inG, inH: p.outH, inW: p.outW, outH: p.inH, outW: p.inW, top: 2 - p.top, left: 2 - p.left,
			form: winogradBack,
		},
	}
	for _, w := range []*winogradPlan{&k.forth, &k.back} {
		if w.complete(); 3*simd.WinogradPoints*w.tiles > 2*9*w.outH*w.outW {
			return nil
		}
	}
	return k
}

const (
	// winogradChannels is the least number of channels, in and out, that pays for the
	// transforms.
	winogradChannels = 16
	// winogradOwn is the size in bytes of transformed weights up to which each core has
	// blocks of tiles of its own; cores share the tiles where weights are larger, each
	// reading a part of the weights.
	winogradOwn = 4 << 20
	// winogradBlock and winogradShared are the bytes of a block's transformed tiles and
	// products, of one core and of all together: what the second and third cache hold.
	winogradBlock  = 768 << 10
	winogradShared = 12 << 20
)

// The forms of a weight.
const (
	winogradForth = 1 + iota
	winogradBack
)

func (k *convWinograd) apply(y, x []float32, w *Param, b []float32, n int, end ending[float32]) {
	k.forth.run(y, x, w, b, n, end)
}

func (k *convWinograd) adjoint(dx, dy []float32, w *Param, n int) {
	k.back.run(dx, dy, w, nil, n, ending[float32]{})
}

// winogradPlan is one direction of a convolution with its sizes worked out.
type winogradPlan struct {
	inC, outC, inH, inW, outH, outW, top, left int
	form                                       int

	down, across, tiles int // of an image
	rows                int // of products: outC, filled up to whole panels
	stride, width       int // of planes of tiles: those read, with their rims, and those written

	works  simd.Pool[winogradWork]
	spares spares[float32]

	// The operands of the product in progress.
	y, x, u, b []float32
	n          int
	few        bool // so few tiles that weights are transformed when they are used
	end        ending[float32]
	panels     int // of a block
}

func (p *winogradPlan) complete() {
	const side = simd.WinogradTile
	p.down, p.across = (p.outH+side-1)/side, (p.outW+side-1)/side
	p.tiles = p.down * p.across
	height := simd.WinogradRows()
	p.rows = (p.outC + height - 1) / height * height
	p.stride, p.width = p.across*side+2, p.across*side
}

// panelBytes is what one panel of tiles takes, transformed and multiplied.
func (p *winogradPlan) panelBytes() int {
	return 4 * simd.WinogradPoints * simd.WinogradColumns * (p.inC + p.rows)
}

func (p *winogradPlan) run(y, x []float32, w *Param, b []float32, n int, end ending[float32]) {
	p.few = n*p.tiles <= simd.WinogradFew() && 4*simd.WinogradPoints*p.rows*p.inC > winogradOwn
	p.y, p.x, p.u, p.b, p.n, p.end = y, x, p.weights(w), b, n, end
	panels := (n*p.tiles + simd.WinogradColumns - 1) / simd.WinogradColumns
	p.panels = max(1, winogradBlock/p.panelBytes())
	if blocks := (panels + p.panels - 1) / p.panels; 4*len(p.u) <= winogradOwn && blocks >= runtime.GOMAXPROCS(0) {
		simd.Parallel(blocks, 1, p.blocks)
		return
	}
	p.panels = min(panels, max(1, winogradShared/p.panelBytes()))
	p.blocks(0, (panels+p.panels-1)/p.panels)
}

// blocks computes the blocks [lo, hi), whose parts the cores share unless each has
// blocks of its own.
func (p *winogradPlan) blocks(lo, hi int) {
	k := p.works.Borrow()
	k.winogradPlan = p
	for i := lo; i < hi; i++ {
		first := i * p.panels * simd.WinogradColumns
		k.begin(first, min(first+p.panels*simd.WinogradColumns, p.n*p.tiles))
		simd.Parallel(p.inC, grainOf(p.inC), k.spreadChannels)
		if p.few {
			simd.Parallel(p.rows/simd.WinogradRows(), 1, k.multiplyPanels)
		} else {
			simd.Parallel(simd.WinogradPoints, 1, k.multiplyPoints)
		}
		simd.Parallel(p.outC, grainOf(p.outC), k.gatherChannels)
	}
	p.works.GiveBack(k)
}

// grainOf cuts n channels into some eight pieces for each core: enough that cores end together, few
// enough that what a piece borrows costs little.
func grainOf(n int) int { return max(1, n/(8*runtime.GOMAXPROCS(0))) }

// weights returns the transformed weights: for each of the products a matrix of outputs × inputs, in
// panels. For few tiles, for which reading these would take longest, it returns the kernels
// themselves in panels, [panel, input, entry, output].
func (p *winogradPlan) weights(w *Param) []float32 {
	return copyOf(w, form{winograd: p.form, panels: p.few}, func(c *packing[float32]) {
		size, set := simd.WinogradPoints, p.transform
		if p.few {
			size, set = 9, p.arrange
		}
		c.wide = sized(c.wide, size*p.rows*p.inC)
		simd.Parallel(p.outC, 1, func(lo, hi int) { set(c.wide, w.Data, lo, hi) })
	}).wide
}

// transform sets the rows [lo, hi) of the matrices.
func (p *winogradPlan) transform(u, w []float32, lo, hi int) {
	height, block := simd.WinogradRows(), simd.Block(p.inC)
	for o := lo; o < hi; o++ {
		for c := range p.inC {
			c0 := c / block * block
			at := c0*p.rows + o/height*height*min(block, p.inC-c0) + (c-c0)*height + o%height
			for point, v := range simd.WinogradWeights(p.kernel(w, o, c)) {
				u[point*p.rows*p.inC+at] = v
			}
		}
	}
}

// arrange sets the rows [lo, hi) of the kernels in panels.
func (p *winogradPlan) arrange(g, w []float32, lo, hi int) {
	height := simd.WinogradRows()
	for o := lo; o < hi; o++ {
		for c := range p.inC {
			at := (o/height*p.inC+c)*9*height + o%height
			for j, v := range p.kernel(w, o, c) {
				g[at+j*height] = v
			}
		}
	}
}

// kernel returns the kernel from input c to output o.
func (p *winogradPlan) kernel(w []float32, o, c int) *[9]float32 {
	if p.form == winogradForth {
		return (*[9]float32)(w[(o*p.inC+c)*9:])
	}
	var turned [9]float32
	for i, v := range w[(c*p.outC+o)*9:][:9] {
		turned[8-i] = v
	}
	return &turned
}
