package pack

import (
	"strings"
	"testing"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/guard"
	"tattle/internal/must"
)

// TestInputs: settings and snippets say how inputs are scaled and laid out, and the Python program
// knows their range.
func TestInputs(t *testing.T) {
	p, _ := packed(t, zoo.Table(4, 3, 1), CertifiedLattice{Delta: .25, Sigma: .75, Clip: 8}, 0)
	p.Certificate.Inputs = guard.Inputs{Scaling: "x/255, less 0.5", Layout: "channels, height, width: 2×1×2", Range: [][2]float64{{0, 1}, {-1, .5}}}
	files := must.Get(p.Files())(t)
	for name, parts := range map[string][]string{
		SettingsFile: {"[inputs]\nscaling = \"x/255, less 0.5\"\nlayout = \"channels, height, width: 2×1×2\"\nrange = [[0.0, 1.0], [-1.0, 0.5]]\n"},
		pythonFile:   {"    scaling: x/255, less 0.5\n    layout: channels, height, width: 2×1×2\n", "LOW, HIGH = -1, 1  #"},
		goFile:       {"//\tscaling: x/255, less 0.5\n//\tlayout: channels, height, width: 2×1×2\n"},
	} {
		for _, part := range parts {
			if !strings.Contains(string(files[name]), part) {
				t.Errorf("%s lacks %q:\n%.900s", name, part, files[name])
			}
		}
	}
}
