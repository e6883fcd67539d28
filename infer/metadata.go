package infer

// Tensor is an input or output as a server describes it.
type Tensor struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"` // −1 where open; the first is the batch's where the model has batches
}

// Metadata is what a server says of a model and of itself.
type Metadata struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions,omitempty"`
	Platform string   `json:"platform,omitempty"`
	Inputs   []Tensor `json:"inputs"`
	Outputs  []Tensor `json:"outputs"`

	Server        string   `json:"-"` // its name, empty where it does not say
	ServerVersion string   `json:"-"`
	Extensions    []string `json:"-"`
	MaxBatch      int      `json:"-"` // examples a request at most; 0 where the server names no limit
}
