package cli

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// released STATUS URL SUBJECT SEED sends a random input of mknet's net about a subject to a
// guard, expects the status, and leaves the body in stdout. No subject is -.
func released(ts *testscript.TestScript, _ bool, args []string) {
	seed, err := strconv.ParseUint(args[3], 10, 64)
	ts.Check(err)
	r := rand.New(rand.NewPCG(seed, seed))
	x := make([]float32, side*side)
	for i := range x {
		x[i] = r.Float32()
	}
	body, err := json.Marshal(map[string]any{
		"inputs": []any{map[string]any{"name": "input", "datatype": "FP32", "shape": []int{1, 1, side, side}, "data": x}},
	})
	ts.Check(err)
	request, err := http.NewRequest(http.MethodPost, args[1]+"/infer", strings.NewReader(string(body)))
	ts.Check(err)
	request.Header.Set("Content-Type", "application/json")
	if args[2] != "-" {
		request.Header.Set("X-Tattle-Subject", args[2])
	}
	if token := ts.Getenv("TATTLE_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	ts.Check(err)
	ts.Stdout().Write(answer)
	if strconv.Itoa(response.StatusCode) != args[0] {
		ts.Fatalf("%s: %s, want %s: %s", args[1], response.Status, args[0], answer)
	}
}
