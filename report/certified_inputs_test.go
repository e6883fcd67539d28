package report

import (
	"strings"
	"testing"

	"tattle/measure"
)

// TestInputsOf: a certificate says how pixels were scaled and laid out, and their range; of other inputs it
// knows no range.
func TestInputsOf(t *testing.T) {
	r := &Report{Data: Data{Shape: []int{3, 32, 32}, Range: [][2]float64{{-2, 2}, {-2, 2}, {-1, 2}}, Stored: &Stored{As: heldBytes, Mean: []float32{.5, .5, .4}, Std: []float32{.25, .25, .25}}}}
	in := inputsOf(r)
	if in.Scaling != "x/255, less 0.5, 0.5, 0.4, divided by 0.25, for pixels x from 0 to 255" || in.Layout != "channels, height, width: 3×32×32; channels red, green, blue" || len(in.Range) != 3 {
		t.Errorf("%+v", in)
	}
	r.Data.Stored.ChannelsLast, r.Reading.ModelOptions = true, measure.ModelOptions{Preprocess: "layout=hwc channels=bgr"}
	if in = inputsOf(r); !strings.HasPrefix(in.Layout, "height, width, channels") || !strings.HasSuffix(in.Layout, "channels blue, green, red") {
		t.Errorf("%+v", in)
	}
	r.Data.Stored, r.Data.Columns, r.Reading.Preprocess = &Stored{As: heldColumns}, []Column{{}}, "mean=0 std=1"
	if in = inputsOf(r); in.Range != nil || !strings.Contains(in.Scaling, "mean=0 std=1") || !strings.Contains(in.Layout, "columns") {
		t.Errorf("%+v", in)
	}
}
