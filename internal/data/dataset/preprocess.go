package dataset

// Filters that pictures are resized by, as Pillow calls them.
const (
	FilterNearest  = "nearest"
	FilterBox      = "box"
	FilterBilinear = "bilinear"
	FilterBicubic  = "bicubic"
	FilterLanczos  = "lanczos"
)

// Layouts of a model's input.
const (
	LayoutCHW = "chw" // channels, height, width: PyTorch's
	LayoutHWC = "hwc" // height, width, channels: TensorFlow's
)

// Orders of a picture's channels.
const (
	ChannelsRGB  = "rgb"
	ChannelsBGR  = "bgr"
	ChannelsGrey = "grey" // one channel: ITU-R 601's luma, as Pillow's convert("L")
)

// Preprocess says how a picture becomes a model's input: it is resized, its centre
// is cut out, its bytes are scaled to Range, and x becomes (x − Mean)/Std. The zero
// value keeps the sizes and the normalisation of the data's kind.
//
// An empty field has the default named beside it. Arrays of numbers (npz) and tables
// are in the model's units already: only Mean and Std apply to them, if given.
type Preprocess struct {
	Resize         []int     `toml:"resize"`          // the shortest side [s], or [height, width]; nil: as it is
	Filter         string    `toml:"filter"`          // of Resize; bilinear
	Crop           []int     `toml:"crop"`            // the centre's [s] or [height, width], after Resize; nil: all
	Upsample       []int     `toml:"upsample"`        // [height, width] of the model's own input, which it makes inside itself of the picture; a [Set] does nothing with it
	UpsampleFilter string    `toml:"upsample_filter"` // bilinear or bicubic; bilinear
	Range          []float64 `toml:"range"`           // what the bytes 0 and 255 become before Mean and Std; [0, 1]
	Mean           []float64 `toml:"mean"`            // one, or one for each channel in the model's order; 0 where Std or Range is given
	Std            []float64 `toml:"std"`             // one, or one for each channel in the model's order; 1 where Mean or Range is given
	Layout         string    `toml:"layout"`          // chw
	Channels       string    `toml:"channels"`        // rgb
}

// IsZero reports whether no setting is given.
func (p Preprocess) IsZero() bool { return p.String() == "none" }
