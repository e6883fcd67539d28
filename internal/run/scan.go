package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
)

// What a run is found to be.
const (
	Running     = "running"     // processes work in its folder
	Finished    = "finished"    // its report is there
	Failed      = "failed"      // shards were set aside
	Interrupted = "interrupted" // none of these, or it is prepared
)

// State is a run as its folder shows it.
type State struct {
	Dir     string       `json:"dir"`
	State   string       `json:"state"`
	Record  *Record      `json:"record,omitempty"` // nil where the folder does not say
	Stages  []StageState `json:"stages,omitempty"`
	Problem string       `json:"problem,omitempty"` // what of the folder cannot be read
}

// StageState is a stage of a run as its folder shows it.
type StageState struct {
	Name     string    `json:"name"` // its folder, relative to the run's
	Shards   int       `json:"shards"`
	Done     int       `json:"done"`
	Merged   bool      `json:"merged,omitempty"` // its shards have gone into results
	Failed   int       `json:"failed,omitempty"`
	Failures []Failure `json:"failures,omitempty"` // of them, those that were read
	Problem  string    `json:"problem,omitempty"`  // what is wrong with its manifest
}

// Bounds of a scan: how deep runs are looked for, and stages in a run; how many names are
// read altogether; how many causes of failures of a stage.
const (
	scanDepth    = 4
	scanNames    = 1 << 22
	scanFailures = 100
)

// reportName is a file of a finished run.
const reportName = "report.json"

// Scan lists the runs in a folder and below, by name. It reads names of files and
// manifests, no data, and follows no links.
func Scan(ctx context.Context, dir string) ([]State, error) {
	s := &scan{left: scanNames}
	n, err := s.list(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := s.folder(ctx, dir, n, scanDepth, nil); err != nil {
		return nil, err
	}
	out := make([]State, len(s.runs))
	for i, r := range s.runs {
		r.settle()
		out[i] = r.State
	}
	return out, nil
}

type scan struct {
	left int // names
	runs []*found
}

// found is a run that was found.
type found struct {
	State
	running, finished bool
}

// list reads the names in a folder, which count.
func (s *scan) list(ctx context.Context, dir string) (*listing, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, err := listUpTo(dir, s.left)
	if errors.Is(err, errCrowded) {
		return nil, fmt.Errorf("more than %d files to look at: name a folder further down: %w", scanNames, err)
	}
	if err == nil {
		s.left -= n.total
		slices.Sort(n.folders)
	}
	return n, err
}

// folder looks at a folder, which belongs to a run or to none, and so far below it.
func (s *scan) folder(ctx context.Context, dir string, n *listing, depth int, in *found) error {
	stage, isStage := stageIn(dir, n)
	begun := slices.Contains(n.other, RecordName)
	if begun || isStage && in == nil {
		in, depth = s.run(dir, n, begun), scanDepth
	}
	if in != nil {
		in.running = in.running || file.Locked(dir) || begun && SeemsLed(dir)
	}
	if isStage {
		stage.Name = stageName(in.Dir, dir)
		in.Stages = append(in.Stages, stage)
	}
	if depth == 0 {
		return nil
	}
	for _, name := range n.folders {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if err := s.below(ctx, filepath.Join(dir, name), depth-1, in); err != nil {
			return err
		}
	}
	return nil
}

// below looks at a folder, if it can be read.
func (s *scan) below(ctx context.Context, dir string, depth int, in *found) error {
	n, err := s.list(ctx, dir)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.folder(ctx, dir, n, depth, in)
}

// run begins a run.
func (s *scan) run(dir string, n *listing, begun bool) *found {
	r := &found{State: State{Dir: dir}}
	r.finished = slices.Contains(n.other, reportName)
	if begun {
		record, err := ReadRecord(dir)
		if err != nil {
			r.Problem = file.Line(err.Error())
		} else {
			r.Record = &record
		}
	}
	s.runs = append(s.runs, r)
	return r
}

// settle sets the state of a run after all of its folder was seen.
func (r *found) settle() {
	switch {
	case r.running:
		r.State.State = Running
	case r.finished:
		r.State.State = Finished
	case slices.ContainsFunc(r.Stages, func(s StageState) bool { return s.Failed > 0 }):
		r.State.State = Failed
	default:
		r.State.State = Interrupted
	}
}

// stageName names a stage of a run.
func stageName(root, dir string) string {
	name, err := filepath.Rel(root, dir)
	if err != nil {
		return filepath.ToSlash(dir)
	}
	return filepath.ToSlash(name)
}

// stageIn looks for a stage in a folder. Manifests that are not of a run are nobody's
// business here.
func stageIn(dir string, n *listing) (stage StageState, ok bool) {
	if !slices.Contains(n.other, ManifestName) {
		return stage, false
	}
	data, err := ReadManifest(dir)
	if err != nil {
		ours := len(n.records) > 0 || slices.Contains(n.other, digestName) || ofOurFamily(dir)
		return StageState{Problem: file.Line(err.Error())}, ours
	}
	if stage.Shards, err = shardsIn(data); err != nil {
		return StageState{Problem: file.Line(err.Error())}, true
	}
	stage.count(n)
	stage.fail(dir, n)
	return stage, true
}

// count counts the shards that are done.
func (s *StageState) count(n *listing) {
	s.Merged = len(n.records) == 0 && slices.ContainsFunc(n.other, isResult)
	if s.Merged {
		s.Done = s.Shards
	}
	for i := range n.records {
		if i < s.Shards && len(n.data[i]) > 0 {
			s.Done++
		}
	}
}

// fail counts the shards that were set aside, and reads why.
func (s *StageState) fail(dir string, n *listing) {
	f := &Folder{dir: dir}
	for _, i := range slices.Sorted(maps.Keys(n.failed)) {
		if i >= s.Shards || n.records[i] {
			continue
		}
		if s.Failed++; s.Failed <= scanFailures {
			s.Failures = append(s.Failures, readFailure(f.failedPath(i), i))
		}
	}
}

// ofOurFamily reports whether a folder's manifest is that of a run, be it damaged
// otherwise.
func ofOurFamily(dir string) bool {
	var m struct {
		Schema string `json:"schema"`
	}
	data, err := readSmall(filepath.Join(dir, ManifestName), manifestSize)
	return err == nil && json.Unmarshal(data, &m) == nil && strings.HasPrefix(m.Schema, manifestFamily)
}

// isResult reports whether a file beside a manifest is what its shards were merged into.
func isResult(name string) bool { return filepath.Ext(name) == ".npz" }
