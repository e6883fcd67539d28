// Package infer speaks the Open Inference Protocol v2 over REST, as KServe, Triton,
// OpenVINO Model Server and MLServer do: a Client that asks a server for a model's
// outputs, and a Handler that serves nets of package nn.
//
// Tensors travel as JSON numbers or, where the server offers binary_tensor_data, as
// little-endian bytes behind the JSON. Either way a float32 arrives as the float32 that
// was sent: numbers are written as the shortest decimal of the float32.
//
// Everything a server or a client of ours sends is bounded before it is read. Errors are
// one line that names the address without the token, the status and what the other
// side said.
package infer

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tattle/internal/file"
)

const (
	// DefaultTimeout is how long one request may take: a slow model on a busy
	// machine, not a dead one.
	DefaultTimeout = 60 * time.Second
	// DefaultRetries are attempts after the first: with waits that double from
	// firstWait they bridge 15 seconds, which a model server takes to restart.
	DefaultRetries = 5
	// DefaultMaxBody is Triton's own limit of a request, in bytes, and ours of a reply, decompressed.
	DefaultMaxBody = 64 << 20
	// DefaultBatch are the examples of one request where the server has no limit: a
	// lost reply costs little, and more gain no speed.
	DefaultBatch = 64
	// DefaultMaxBatch are the examples of one request that Handler serves.
	DefaultMaxBatch = 1024
)

// Options are the settings of a Client. The zero value is the default, but for Model,
// which must be named here or in the URL.
type Options struct {
	Model   string        // its name, unless the address has it
	Output  string        // the output to take, if there are several
	Shape   []int         // of one example: settles open dimensions, and another layout is refused; nil is not known
	Token   string        `json:"-"` // bearer token; empty for none
	Timeout time.Duration // of one request with its reply; zero means DefaultTimeout
	Retries int           // attempts after the first; zero means DefaultRetries, negative none
	Rate    float64       // requests a second at most; zero means no limit
	Batch   int           // examples a request at most; zero means DefaultBatch

	// Transport carries the requests; nil is http.DefaultTransport.
	Transport http.RoundTripper `json:"-"`
}

// ServerOptions are the settings of Handler; the zero value is the default.
type ServerOptions struct {
	Token    string `json:"-"` // bearer token that all but the health checks need; empty for none
	MaxBatch int    // examples a request at most; zero means DefaultMaxBatch
	MaxBody  int64  // bytes of a request at most; zero means DefaultMaxBody

	// MaxActive is the largest number of inferences that are held in memory at a time, more requests
	// get status 503; zero means DefaultMaxActive.
	MaxActive int

	// Ready reports why inferences cannot be answered now, for /v2/health/ready; nil: they always can.
	Ready func() error `json:"-"`
}

// maxOutputs bounds the numbers that a Client keeps of one Infer, 1 GiB: a hundred times
// what an audit of 100,000 examples and 26 classes has.
const maxOutputs = 1 << 28

// DefaultMaxActive is the default of ServerOptions.MaxActive.
const DefaultMaxActive = 32

// maxReading bounds the requests whose bodies a Handler reads at a time. It is larger than
// DefaultMaxActive, so that clients that send slowly do not keep others from being answered.
const maxReading = 1024

// bodyTimeout is how long a Handler waits for a request's body: DefaultMaxBody takes less
// at 8 MB/s, which any network of a server has.
const bodyTimeout = 10 * time.Second

// ParseRate reads a rate per second, written as 10, 10/s, 30/m or 3600/h.
func ParseRate(text string) (float64, error) {
	digits, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	seconds := map[string]float64{"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[strings.TrimSpace(unit)]
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || seconds == 0 || !(v > 0 && v <= 1e9) {
		return 0, fmt.Errorf("invalid rate %q: write it as 10/s or 30/m", text)
	}
	return v / seconds, nil
}

// maxText bounds what is quoted of the other side's words, in runes: a sentence or two.
const maxText = 300

// oneLine returns words from outside as one line that prints.
func oneLine(s string) string { return file.Short(s, maxText) }
