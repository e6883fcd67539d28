package run

import "context"

// What a run is found to be.
const (
	Running     = "running"
	Finished    = "finished"
	Interrupted = "interrupted"
	Failed      = "failed"
)

// State is a run as its folder shows it.
type State struct {
	Dir     string       `json:"dir"`
	State   string       `json:"state"` // running, finished, interrupted or failed
	Command *Record      `json:"command,omitempty"`
	Stages  []StageState `json:"stages"`
	Problem string       `json:"problem,omitempty"` // what is wrong with the folder
}

// StageState is a stage of a run as its folder shows it.
type StageState struct {
	Name     string    `json:"name"`
	Shards   int       `json:"shards"`
	Done     int       `json:"done"`
	Merged   bool      `json:"merged,omitempty"` // its shards have gone into the results
	Failures []Failure `json:"failures,omitempty"`
	Problem  string    `json:"problem,omitempty"` // why its manifest is damaged
}

// Scan lists the runs below a folder.
func Scan(ctx context.Context, dir string) ([]State, error) { panic("not yet") }
