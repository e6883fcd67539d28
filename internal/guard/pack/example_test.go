package pack_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/guard/ledger"
	"tattle/internal/guard/pack"
)

// A pack is written, and a change of one of its files is found.
func Example() {
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	net := zoo.Table(4, 3, 1)
	node, _ := net.FeatureNode()
	front, head, err := net.Cut(node)
	if err != nil {
		panic(err)
	}
	shapes, _ := front.Shapes()
	p, err := pack.New(front, head, &pack.Certificate{
		Schema: pack.CertificateSchema, Title: "example", Sentences: []string{"Nothing is proved."},
		Lattice: pack.CertifiedLattice{Delta: .25, Sigma: 1, Clip: 8, Dim: nn.Size(shapes[front.Output])}, Budget: ledger.Budget{Releases: 1},
	})
	if err != nil {
		panic(err)
	}
	if err := p.Write(dir); err != nil {
		panic(err)
	}
	_, err = pack.Open(dir)
	fmt.Println("as written:", err)

	f, err := os.OpenFile(filepath.Join(dir, pack.SettingsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, "# edited")
	f.Close()
	_, err = pack.Open(dir)
	var changed *pack.MismatchError
	fmt.Println("edited:", errors.As(err, &changed))
	// Output:
	// as written: <nil>
	// edited: true
}
