package cluster

import (
	"context"
	"time"

	"tattle/run"
)

// Job is the command line that a run is of, and what a worker needs to carry it out.
type Job struct {
	ID      string        `json:"id"`               // 16 hexadecimal digits; "" is made up by Submit
	Args    []string      `json:"args"`             // the command line, without what is about the cluster and the folder
	Cwd     string        `json:"cwd"`              // what relative paths of the submitter begin at
	Shared  string        `json:"shared,omitempty"` // the run's folder, under a path that is the same for every worker; "" if results travel through the server
	Program run.Program   `json:"program"`
	Inputs  []Input       `json:"inputs,omitempty"`
	Created time.Time     `json:"created"`
	By      string        `json:"by,omitempty"` // user and host
	Lease   time.Duration `json:"lease"`        // for how long a worker may be silent before its shard goes to another; 0 is 30 s
}

// Input is a file or folder that a run reads.
type Input struct {
	Name   string `json:"name"`   // the flag, such as "--model"
	Path   string `json:"path"`   // as the command line has it
	SHA256 string `json:"sha256"` // of a folder that of its archive
	Size   int64  `json:"size"`
	Folder bool   `json:"folder,omitempty"`
}

// SubmitOptions says what is submitted, and where its results are kept.
type SubmitOptions struct {
	Job      func(ctx context.Context) (Job, error) // describes the run, once there is work
	Root     string                                 // the run's folder
	Resume   bool                                   // go on with the run that the folder's cluster.json names
	Replicas int                                    // servers that keep each entry; 0 is 3 where the site is a cluster, else 1
	Lease    time.Duration                          // as in Job
	Check    float64                                // probability with which a shard is computed again; 0 checks none, not even the first of each worker
	Workers  func(n int)                            // unless nil, is told now and then how many workers take part
	Log      func(format string, a ...any)          // prints one line for a person; nil prints nothing
}

// WorkerOptions says what a worker works on, and how.
type WorkerOptions struct {
	Name    string                        // "" is host and process
	Run     string                        // the only run to work on; "" is any, the oldest first
	Idle    time.Duration                 // end after that long without work; 0 never does
	Scratch string                        // folder for inputs and results under way; "" is a folder of the user's cache
	Program run.Program                   // exact, as that of a job
	Log     func(format string, a ...any) // prints one line for a person; nil prints nothing
	Execute func(ctx context.Context, t Task) error

	comeBack time.Duration // but for tests, the constant
}

// Task is a run as a worker carries it out: the job's command line with --out Root
// --resume, each path of Paths in place of the submitter's, and Pool in place of its own.
type Task struct {
	Job
	Root  string            // the worker's copy of the run's folder
	Paths map[string]string // from an Input's Path to where this worker has it
	Pool  run.Pool
}

// RunState is what a cluster knows of a run.
type RunState struct {
	Job      Job
	State    string    // "submitted", "running" or "finished"
	Finished time.Time // zero before
	Stages   []run.StageState
	Workers  []WorkerState // by name
}

// WorkerState is what a worker last said of a run.
type WorkerState struct {
	Name    string    `json:"name"`
	Refused string    `json:"refused,omitempty"` // why it does not take part; "" where it does
	At      time.Time `json:"at"`
	Done    int       `json:"done,omitempty"` // shards it committed
	Gone    bool      `json:"gone,omitempty"` // it has left, or was not heard of for a while
}
