package listen_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"tattle/internal/listen"
)

// A server that only this machine can reach needs no token, and refuses requests for foreign host
// names.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	l, at, err := listen.Open(ctx, "127.0.0.1:0", "", nil)
	if err != nil {
		panic(err)
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	ended := make(chan error)
	go func() { ended <- listen.Serve(ctx, io.Discard, l, listen.ByAddress(hello)) }()

	fmt.Println(strings.HasPrefix(at.URL("/page"), "http://127.0.0.1:"), at.Token == "")
	for _, host := range []string{"localhost", "evil.example"} {
		q, _ := http.NewRequest("GET", at.URL("/page"), nil)
		q.Host = host
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			panic(err)
		}
		r.Body.Close()
		fmt.Println(host, r.StatusCode)
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// true true
	// localhost 200
	// evil.example 421
	// <nil>
}
