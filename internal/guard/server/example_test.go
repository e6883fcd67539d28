package server_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
	"tattle/internal/guard/server"
)

// A guard answers an input with noisy features, and the next one, for which there is no budget,
// with status 429.
func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	l, err := ledger.Open(dir, ledger.Options{Budget: ledger.Budget{Releases: 1}})
	if err != nil {
		panic(err)
	}
	defer l.Close()
	s, err := server.New(server.Options{
		Front: zoo.Table(4, 3, 1), Lattice: guard.Lattice{Delta: 1. / 64, Sigma: 1, Clip: 64, Dim: 3}, Mechanism: "example", Ledger: l,
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	for _, data := range []string{"[1,0,0,0]", "[0,1,0,0]"} {
		body := `{"parameters":{"subject":"alice"},"inputs":[{"name":"input","datatype":"FP32","shape":[1,4],"data":` + data + `}]}`
		r, err := h.Client().Post(h.URL+"/v2/models/guard/infer", "application/json", strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		answer, _ := io.ReadAll(r.Body)
		r.Body.Close()
		fmt.Println(r.StatusCode, strings.Contains(string(answer), `"features"`))
	}
	// Output:
	// 200 true
	// 429 false
}
