package serve_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"tattle/serve"
)

// A folder of reports, in a program's own server.
func ExampleHandler() {
	dir, err := os.MkdirTemp("", "reports")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	h, err := serve.Handler(dir, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
	fmt.Println(answer.Code, strings.Contains(answer.Body.String(), "tattle"))
	// Output: 200 true
}
