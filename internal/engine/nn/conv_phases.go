package nn

import (
	"runtime"

	"tattle/internal/math/simd"
)

// convPhases computes convolutions, in inference, without unfolding patches. It takes each padded
// channel of the input apart into phases: with a stride of 2, the entries of even and odd rows and
// columns. What a kernel entry multiplies, for all outputs, is then one stretch of a phase, so that
// the right operand of the product is read where it lies. Rows of phases are longer than rows of
// outputs; the sums between these are left out when outputs are stored. The bytes are those of
// convColumns.
type convPhases struct {
	convPlan
	products convProducts[float32] // for the adjoint

	taken         []convPhase // the phases that kernel entries multiply
	height, width int         // of a phase
	shifts        *simd.Shifts
	rows, tiles   int  // output rows of a tile, tiles of an image
	deep          bool // a sum has several blocks, which are added to its bias in order
	panels        int  // of weights
	lines, cols   int  // output channels of a panel, and columns of a product
	block, blocks int  // panels of a block, blocks of all panels

	works pool[phasesWork]

	// The operands of the product in progress.
	y, x, w, b []float32
	end        ending[float32]
}

// convPhase is the entries (i·strideH + row, j·strideW + col) of a padded channel.
type convPhase struct{ row, col int }

const (
	// phasesColumns is the wanted number of outputs of a tile, and phasesBlock the wanted bytes of a
	// block of weights: both fit into a second-level cache of 1 MiB.
	phasesColumns = 512
	phasesBlock   = 256 << 10
	// phasesMost limits the number of sums, in percent of the number of outputs: with more sums left
	// out, unfolding is faster.
	phasesMost = 150
	// phasesParts is the number of parts of an image that is aimed at, so that cores end together.
	phasesParts = 8
	// phasesImages is the number of images for each core from which on each has images of its own.
	phasesImages = 2
)

// newConvPhases returns nil if patches do not overlap, so that unfolding costs little, or if too many
// sums would be left out.
func newConvPhases(p convPlan, products convProducts[float32]) *convPhases {
	k := &convPhases{convPlan: p, products: products}
	k.height = p.outH + (p.kH-1)*p.dilH/p.strideH
	k.width = p.outW + (p.kW-1)*p.dilW/p.strideW
	k.lines, k.cols = simd.ShiftedTile()
	if k.cols == 0 || p.groups > 1 || p.strideH > 2 || p.strideW > 2 {
		return nil
	}
	columns := (p.outH*k.width + k.cols - 1) / k.cols * k.cols
	apart := p.kH <= p.strideH && p.kW <= p.strideW && (p.kH > 1 || p.kW > 1 || p.strideH*p.strideW == 1)
	if apart || columns > p.outHW*phasesMost/100 {
		return nil
	}
	places := map[convPhase]int{}
	var offsets []int
	for c := range p.inG {
		for r := range p.kH {
			for s := range p.kW {
				of := convPhase{r * p.dilH % p.strideH, s * p.dilW % p.strideW}
				if _, ok := places[of]; !ok {
					places[of] = len(k.taken)
					k.taken = append(k.taken, of)
				}
				offsets = append(offsets, places[of]*p.inG*k.height*k.width+
					(c*k.height+r*p.dilH/p.strideH)*k.width+s*p.dilW/p.strideW)
			}
		}
	}
	k.shifts = simd.NewShifts(offsets)
	k.deep = simd.Block(p.depth) < p.depth
	k.tiles = min(p.outH, (columns+phasesColumns-1)/phasesColumns)
	k.rows = (p.outH + k.tiles - 1) / k.tiles
	k.tiles = (p.outH + k.rows - 1) / k.rows
	k.panels = (p.outG + k.lines - 1) / k.lines
	k.blocks = max((4*len(p.op.Weight.Data)+phasesBlock-1)/phasesBlock, (phasesParts+k.tiles-1)/k.tiles)
	k.block = max(1, k.panels/k.blocks)
	k.blocks = (k.panels + k.block - 1) / k.block
	return k
}

func (k *convPhases) apply(y, x []float32, w *Param, b []float32, n int, end ending[float32]) {
	k.y, k.x, k.w, k.b, k.end = y, x, k.weights(w), b, end
	if n >= phasesImages*runtime.GOMAXPROCS(0) {
		simd.Parallel(n, 1, k.run)
		return
	}
	k.run(0, n)
}

func (k *convPhases) adjoint(dx, dy []float32, w *Param, n int) {
	k.products.adjoint(dx, dy, values[float32](w), n)
}

// weights returns the weight in panels of output channels.
func (k *convPhases) weights(w *Param) []float32 {
	w.copies.mu.Lock()
	defer w.copies.mu.Unlock()
	height := k.lines
	c, stale := find[float32](w, form{panels: true})
	if stale {
		c.wide = sized(c.wide, k.panels*height*k.depth)
		for o := range k.outG {
			to := c.wide[o/height*height*k.depth+o%height:]
			for i, v := range w.Data[o*k.depth:][:k.depth] {
				to[i*height] = v
			}
		}
	}
	return c.wide
}

// phasesWork is an image under way.
type phasesWork struct {
	*convPhases
	image  int
	phases []float32 // [phase, channel, height, width], zero in the padding
	spares spares[float32]
}

// run computes the images [lo, hi), whose parts the cores share unless each has
// images of its own.
func (k *convPhases) run(lo, hi int) {
	work := k.works.borrow()
	if work.convPhases == nil {
		work.convPhases = k
		work.phases = make([]float32, len(k.taken)*k.inG*k.height*k.width+k.cols+k.width)
	}
	for work.image = lo; work.image < hi; work.image++ {
		simd.Parallel(k.inG, grainOf(k.inG), work.splitChannels)
		simd.Parallel(k.tiles*k.blocks, 1, work.multiplyTiles)
	}
	k.works.giveBack(work)
}

// splitChannels sets the phases of the input channels [lo, hi).
func (k *phasesWork) splitChannels(lo, hi int) {
	plane := k.height * k.width
	for c := lo; c < hi; c++ {
		x := k.x[(k.image*k.inG+c)*k.inHW:][:k.inHW]
		for i, of := range k.taken {
			if b, ok := k.phaseBlock(k.height, k.width, of.row, of.col); ok {
				take(k.phases[(i*k.inG+c)*plane+b.to:], x[b.at:], b.rows, b.n, k.width, k.strideH*k.inW, k.strideW)
			}
		}
	}
}

// multiplyTiles computes the blocks of tiles [lo, hi).
func (k *phasesWork) multiplyTiles(lo, hi int) {
	height, cols := k.lines, k.cols
	length := (k.rows*k.width + cols - 1) / cols * cols
	out := k.spares.borrow(k.block * height * length)
	defer k.spares.giveBack(out)
	for unit := lo; unit < hi; unit++ {
		r0, p0 := unit/k.blocks*k.rows, unit%k.blocks*k.block
		r1, p1 := min(r0+k.rows, k.outH), min(p0+k.block, k.panels)
		o0, o1 := p0*height, min(p1*height, k.outG)
		before := k.b != nil && k.deep
		if before {
			for o := o0; o < o1; o++ {
				fill(out[(o-o0)*length:][:length], k.b[o])
			}
		}
		for j := 0; j < (r1-r0)*k.width; j += cols {
			simd.GemmShifted(out[j:], length, k.w[p0*height*k.depth:], p1-p0, k.phases[r0*k.width+j:], k.shifts, before)
		}
		for o := o0; o < o1; o++ {
			var bias float32
			if k.b != nil && !k.deep {
				bias = k.b[o]
			}
			at := o*k.outHW + r0*k.outW
			y := k.y[k.image*k.outG*k.outHW+at:]
			k.end.finishRows(y, out[(o-o0)*length:], k.image, at, r1-r0, k.outW, k.outW, k.width, bias)
		}
	}
}
