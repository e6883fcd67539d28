package report

import (
	"os"
	"runtime"
	"runtime/debug"

	"tattle/audit"
	"tattle/run"
)

// packFile is a file of the pack.
type packFile struct {
	Name   string `json:"name"`
	About  string `json:"about"`
	SHA256 string `json:"sha256"`
}

// packManifest says what was audited by what, with which settings.
type packManifest struct {
	Schema   string            `json:"schema"`
	Verdict  audit.Verdict     `json:"verdict"`
	Tool     packTool          `json:"tool"`
	Sample   string            `json:"sample_sha256"`
	Model    Model             `json:"model"`
	Data     Data              `json:"data"`
	Command  string            `json:"command"`
	Seed     uint64            `json:"seed"`
	Settings audit.Settings    `json:"settings"`
	Options  map[string]string `json:"options"`
	Files    []packFile        `json:"files"`
}

// packTool is the program that ran.
type packTool struct {
	Version  string            `json:"version"`
	SHA256   string            `json:"sha256"` // of the program
	Revision string            `json:"revision,omitempty"`
	Modified bool              `json:"modified,omitempty"` // built from a tree that differs from the revision
	Go       string            `json:"go"`
	System   string            `json:"system"`
	Modules  map[string]string `json:"modules,omitempty"` // versions of those built in
}

// manifest lists the files with all that they depend on.
func (e *Evidence) manifest(files []packFile) (*packManifest, error) {
	r, s := e.Report, e.Report.Audit.Settings
	tool, err := thisProgram()
	return &packManifest{
		Schema: evidenceSchema, Verdict: r.Audit.Verdict, Tool: tool, Sample: e.Sample.Sum(), Model: r.Model, Data: r.Data,
		Command: r.Command, Seed: s.Seed, Settings: s, Options: r.options(), Files: files,
	}, err
}

// options returns the options of the run by name.
func (r *Report) options() map[string]string {
	all := map[string]string{}
	for _, s := range r.SettingRows() {
		all[s.Key] = s.Value
	}
	return all
}

// thisProgram describes the program that runs.
func thisProgram() (packTool, error) {
	t := packTool{Version: ProgramVersion(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Modules: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		built := map[string]string{}
		for _, s := range info.Settings {
			built[s.Key] = s.Value
		}
		t.Revision, t.Modified = built["vcs.revision"], built["vcs.modified"] == "true"
		for _, d := range info.Deps {
			t.Modules[d.Path] = d.Version
		}
	}
	path, err := os.Executable()
	if err == nil {
		t.SHA256, err = run.Digest(path)
	}
	return t, err
}

// ProgramVersion returns the version of the running program.
func ProgramVersion() string { return run.Current().Version }
