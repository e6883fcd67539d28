package infer_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/infer"
)

// A net is served and asked over HTTP.
func Example() {
	model, err := infer.NewModel("table", zoo.Table(4, 3, 1))
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(infer.Handler(map[string]*infer.Model{"table": model}, infer.ServerOptions{Token: "t"}))
	defer server.Close()

	client, err := infer.New(server.URL+"/v2/models/table", infer.Options{Token: "t"})
	if err != nil {
		panic(err)
	}
	y, shape, err := client.Infer(context.Background(), make([]float32, 2*4), 2)
	fmt.Println(len(y), shape, err)
	// Output: 6 [2 3] <nil>
}
