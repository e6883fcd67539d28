package infer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// le32 is binary data of FP32 or, by their bits, of 32-bit integers.
func le32(v ...float32) string {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return string(b)
}

// withHeader is a binary reply: JSON and what follows it.
func withHeader(json, data string) cannedReply {
	return cannedReply{header: map[string]string{headerLength: fmt.Sprint(len(json)), "Content-Type": "application/octet-stream"}, body: json + data}
}

// recorded are replies as the public documentation of each server shows them.
var recorded = []struct {
	name    string
	o       Options
	model   string // metadata
	server  string
	config  string
	x       []float32
	n       int
	replies []cannedReply
	want    []float32
	shape   []int
	asked   []string // parts of the last request
	fails   []string // parts of the error
}{
	{
		name:    "KServe, numbers nested",
		server:  `{"name":"kserve","version":"0.15.0","extensions":["model_repository_extension"]}`,
		model:   `{"name":"m","platform":"","inputs":[{"name":"input-0","datatype":"FP32","shape":[-1,2]}],"outputs":[{"name":"output-0","datatype":"FP32","shape":[-1,3]}]}`,
		x:       []float32{1, 2, 3, 4},
		n:       2,
		replies: []cannedReply{{body: `{"model_name":"m","model_version":null,"id":"fa4c","parameters":null,"outputs":[{"name":"output-0","shape":[2,3],"datatype":"FP32","parameters":null,"data":[[0.1,0.2,0.7],[0.5,0.25,0.25]]}]}`}},
		want:    []float32{.1, .2, .7, .5, .25, .25},
		shape:   []int{2, 3},
		asked:   []string{`"shape":[2,2]`, `"data":[1,2,3,4]`, `"outputs":[{"name":"output-0"}]`},
	}, {
		name:   "KServe, no such model",
		server: `{"name":"kserve","version":"0.15.0","extensions":[]}`,
		x:      []float32{1}, n: 1,
		fails: []string{"http://models.example/v2/models/m: status 404 (Not Found): no such path"},
	}, {
		name:   "Triton, binary",
		server: `{"name":"triton","version":"2.43.0","extensions":["classification","sequence","model_repository","model_configuration","binary_tensor_data","statistics"]}`,
		model:  `{"name":"m","versions":["1"],"platform":"onnxruntime_onnx","inputs":[{"name":"data_0","datatype":"FP32","shape":[-1,1,2]}],"outputs":[{"name":"fc6_1","datatype":"FP32","shape":[-1,2]}]}`,
		config: `{"name":"m","platform":"onnxruntime_onnx","backend":"onnxruntime","max_batch_size":2,"input":[{"name":"data_0","data_type":"TYPE_FP32","dims":[1,2]}]}`,
		x:      []float32{1, 2, 3, 4, 5, 6},
		n:      3,
		replies: []cannedReply{
			withHeader(`{"model_name":"m","model_version":"1","outputs":[{"name":"fc6_1","datatype":"FP32","shape":[2,2],"parameters":{"binary_data_size":16}}]}`, le32(1, -2, 3e-8, 4)),
			withHeader(`{"model_name":"m","model_version":"1","outputs":[{"name":"fc6_1","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}`, le32(5, 6)),
		},
		want:  []float32{1, -2, 3e-8, 4, 5, 6},
		shape: []int{3, 2},
		asked: []string{`"parameters":{"binary_data_size":8}`, `"shape":[1,1,2]`, `"parameters":{"binary_data":true}`, le32(5, 6)},
	}, {
		name:    "Triton, an error of shape",
		server:  `{"name":"triton","version":"2.43.0","extensions":["binary_tensor_data"]}`,
		model:   `{"name":"m","versions":["1"],"platform":"tensorrt_plan","inputs":[{"name":"i","datatype":"FP32","shape":[-1,2]}],"outputs":[{"name":"o","datatype":"FP32","shape":[-1,2]}]}`,
		x:       []float32{1, 2},
		n:       1,
		replies: []cannedReply{{code: 400, body: `{"error":"[request id: <id_unknown>] inference request batch-size must be <= 0 for 'm'"}`}},
		fails:   []string{"http://models.example/v2/models/m/infer: status 400 (Bad Request): [request id: <id_unknown>] inference request"},
	}, {
		name:    "Triton, bare NaN and Infinity",
		server:  `{"name":"triton","version":"2.43.0","extensions":[]}`,
		model:   `{"name":"m","versions":["1"],"platform":"pytorch_libtorch","inputs":[{"name":"INPUT__0","datatype":"FP32","shape":[-1,1]}],"outputs":[{"name":"OUTPUT__0","datatype":"FP32","shape":[-1,3]}]}`,
		x:       []float32{1},
		n:       1,
		replies: []cannedReply{{body: `{"model_name":"NaN","outputs":[{"name":"OUTPUT__0","datatype":"FP32","shape":[1,3],"data":[NaN,-Infinity,Infinity]}]}`}},
		want:    []float32{float32(math.NaN()), float32(math.Inf(-1)), float32(math.Inf(1))},
		shape:   []int{1, 3},
	}, {
		name:   "OpenVINO, a fixed batch, FP16 widened, no extensions",
		server: `{"name":"OpenVINO Model Server","version":"2022.2.0.fd742507"}`,
		model:  `{"name":"m","versions":["1"],"platform":"OpenVINO","inputs":[{"name":"0","datatype":"UINT8","shape":["2","1","2"]}],"outputs":[{"name":"1463","datatype":"FP32","shape":["2","1"]}]}`,
		x:      []float32{0, 255, 7, 8, 9, 10},
		n:      3,
		replies: []cannedReply{
			{body: "{\n    \"model_name\": \"m\",\n    \"model_version\": \"1\",\n    \"outputs\": [{\n            \"name\": \"1463\",\n            \"shape\": [2, 1],\n            \"datatype\": \"FP32\",\n            \"data\": [0.0, 1.5]\n        }]\n}"},
			withHeader(`{"model_name":"m","outputs":[{"name":"1463","shape":[2,1],"datatype":"FP16","parameters":{"binary_data_size":4}}]}`, "\x00\x3c\x00\xc0"),
		},
		want:  []float32{0, 1.5, 1},
		shape: []int{3, 1},
		asked: []string{`"data":[9,10,9,10]`, `"shape":[2,1,2]`, `"datatype":"UINT8"`},
	}, {
		name:    "MLServer, which names no tensors",
		o:       Options{Output: "predict_proba"},
		server:  `{"name":"mlserver","version":"1.3.5","extensions":[]}`,
		model:   `{"name":"m","versions":[],"platform":"","inputs":[],"outputs":[]}`,
		x:       []float32{1, 2, 3, 4},
		n:       2,
		replies: []cannedReply{{body: `{"model_name":"m","model_version":"v0.1.0","id":"0926","parameters":{},"outputs":[{"name":"predict_proba","shape":[2,2],"datatype":"FP64","parameters":{"content_type":"np"},"data":[0.1,0.9,1e-300,1.0]}]}`}},
		want:    []float32{.1, .9, 0, 1},
		shape:   []int{2, 2},
		asked:   []string{`"name":"input-0"`, `"shape":[2,2]`, `"outputs":[{"name":"predict_proba"}]`},
	}, {
		name:    "MLServer, several outputs and none named",
		server:  `{"name":"mlserver","version":"1.3.5","extensions":[]}`,
		model:   `{"name":"m","versions":[],"platform":"","inputs":[],"outputs":[]}`,
		x:       []float32{1},
		n:       1,
		replies: []cannedReply{{body: `{"model_name":"m","outputs":[{"name":"predict","shape":[1],"datatype":"INT64","data":[2]},{"name":"predict_proba","shape":[1,1],"datatype":"FP64","data":[1]}]}`}},
		fails:   []string{"/v2/models/m/infer: the answer has outputs predict, predict_proba: name the one"},
	}, {
		name:    "a gateway's own errors",
		server:  `<html>log in</html>`,
		model:   `{"name":"m","inputs":[],"outputs":[]}`,
		x:       []float32{1},
		n:       1,
		replies: []cannedReply{{code: 422, body: `{"detail":[{"loc":["body","inputs"],"msg":"field required"}]}`}},
		fails:   []string{"status 422 (Unprocessable Entity): [{", "field required"},
	},
}

func TestRecordedServers(t *testing.T) {
	for _, r := range recorded {
		t.Run(r.name, func(t *testing.T) {
			h := &canned{replies: map[string][]cannedReply{"/v2": {{body: r.server}}, "/v2/models/m/infer": r.replies}}
			if r.model != "" {
				h.replies["/v2/models/m"] = []cannedReply{{body: r.model}}
			}
			if r.config != "" {
				h.replies["/v2/models/m/config"] = []cannedReply{{body: r.config}}
			}
			c, f := newClient(t, h, r.o)
			y, shape, err := c.Infer(context.Background(), r.x, r.n)
			if r.fails != nil {
				mustErr(t, err, r.fails...)
				if len(f.sleeps) > 0 {
					t.Error("it was asked again")
				}
				return
			}
			must.Do(t, err)
			if !sameBits(y, r.want) || !slices.Equal(shape, r.shape) {
				t.Errorf("got %v of shape %v, want %v of shape %v", y, shape, r.want, r.shape)
			}
			for _, part := range r.asked {
				if !strings.Contains(h.last(), part) {
					t.Errorf("the request %q lacks %q", h.last(), part)
				}
			}
		})
	}
}

// TestAnswersThatDoNotFit: one line with the address, and no second attempt.
func TestAnswersThatDoNotFit(t *testing.T) {
	out := func(rest string) string { return `{"outputs":[{"name":"y",` + rest + `}]}` }
	for name, c := range map[string]struct {
		reply cannedReply
		want  string
	}{
		"fewer examples":    {cannedReply{body: out(`"shape":[1,1],"datatype":"FP32","data":[1]`)}, "output y has shape [1 1] for 2 examples"},
		"no batch":          {cannedReply{body: out(`"shape":[],"datatype":"FP32","data":[1]`)}, "has shape [] for 2"},
		"fewer numbers":     {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32","data":[1]`)}, "shape [2 1] has 2 numbers, but there are 1"},
		"more numbers":      {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32","data":[1,2,3]`)}, "more numbers than shape"},
		"ragged":            {cannedReply{body: out(`"shape":[2,2],"datatype":"FP32","data":[[1],[2,3,4]]`)}, "an inner array has 1 numbers"},
		"nested too deep":   {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32","data":[[[1]],[[2]]]`)}, "nested deeper"},
		"no numbers":        {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32","data":["a","b"]`)}, "is not a number"},
		"not an array":      {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32","data":1234`)}, "no array"},
		"null data":         {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32","data":null`)}, "no array"},
		"no data":           {cannedReply{body: out(`"shape":[2,1],"datatype":"FP32"`)}, "there is no data"},
		"text":              {cannedReply{body: out(`"shape":[2,1],"datatype":"BYTES","data":["a","b"]`)}, "datatype BYTES, which is none of BF16"},
		"control bytes":     {cannedReply{body: out(`"shape":[2,1],"datatype":"\u001b[31m\n","data":[1,2]`)}, "datatype"},
		"huge shape":        {cannedReply{body: out(`"shape":[2,9000000000000000000],"datatype":"FP32","data":[1]`)}, "no sensible size"},
		"negative":          {cannedReply{body: out(`"shape":[2,-1],"datatype":"FP32","data":[1]`)}, "no sensible size"},
		"shape beyond data": {cannedReply{body: out(`"shape":[2,4000000000],"datatype":"FP32","data":[1]`)}, "more than there are"},
		"fractional shape":  {cannedReply{body: out(`"shape":[2,1.5],"datatype":"FP32","data":[1]`)}, "no list of integers"},
		"other output":      {cannedReply{body: `{"outputs":[{"name":"z","shape":[2],"datatype":"FP32","data":[1,2]}]}`}, "no output y, only z"},
		"no outputs":        {cannedReply{body: `{}`}, "the answer has no outputs: {}"},
		"an error in 200":   {cannedReply{body: `{"error":"out of memory"}`}, "the answer has no outputs: out of memory"},
		"a page":            {cannedReply{body: "<html>\n", header: map[string]string{"Content-Type": "text/html"}}, "text/html, 7 bytes that begin with <html>"},
		"cut JSON":          {cannedReply{body: `{"outputs":[{"name":"y","shape":[2,1]`}, "cannot be read"},
		"header too long":   {cannedReply{body: `{}`, header: map[string]string{headerLength: "3"}}, "but the body has 2 bytes"},
		"negative header":   {cannedReply{body: `{}`, header: map[string]string{headerLength: "-1"}}, "but the body has 2 bytes"},
		"cut binary":        {withHeader(out(`"shape":[2,1],"datatype":"FP32","parameters":{"binary_data_size":8}`), "1234567"), "has 8 bytes of data, but 7 are left"},
		"too much binary":   {withHeader(out(`"shape":[2,1],"datatype":"FP32","parameters":{"binary_data_size":8}`), "123456789"), "1 bytes follow"},
		"binary of a size":  {withHeader(out(`"shape":[2,1],"datatype":"FP64","parameters":{"binary_data_size":8}`), "12345678"), "takes 16 bytes, but there are 8"},
		"negative size":     {withHeader(out(`"shape":[2,1],"datatype":"FP32","parameters":{"binary_data_size":-8}`), "12345678"), "has -8 bytes"},
		"compressed":        {cannedReply{body: "x", header: map[string]string{"Content-Encoding": "br"}}, "compressed as br"},
	} {
		t.Run(name, func(t *testing.T) {
			h := simple(c.reply)
			client, f := newClient(t, h, Options{})
			_, _, err := client.Infer(context.Background(), []float32{1, 2, 3, 4}, 2)
			mustErr(t, err, "http://models.example/v2/models/m/infer: ", c.want)
			if len(f.sleeps) > 0 {
				t.Errorf("it was asked again after %v", f.sleeps)
			}
		})
	}
	h := simple(cannedReply{body: `{"outputs":[{"name":"y","shape":[1,1],"datatype":"FP32","data":[1]}]}`},
		cannedReply{body: `{"outputs":[{"name":"y","shape":[1,2],"datatype":"FP32","data":[1,2]}]}`})
	c, _ := newClient(t, h, Options{Batch: 1})
	_, _, err := c.Infer(context.Background(), []float32{1, 2, 3, 4}, 2)
	mustErr(t, err, "outputs of shape [1] for one example and [2] for another")
}
