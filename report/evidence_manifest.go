package report

import (
	"bytes"
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
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// packManifest says what was audited by what, with which settings.
type packManifest struct {
	Schema   string            `json:"schema"`
	Verdict  audit.Verdict     `json:"verdict"`
	Tool     packTool          `json:"tool"`
	Subject  packSubject       `json:"subject"`
	Command  string            `json:"command"`
	Seed     uint64            `json:"seed"`
	Settings audit.Settings    `json:"settings"`
	Options  map[string]string `json:"options"`
	Breaches []string          `json:"breaches"`
	Files    []packFile        `json:"files"`
}

// packTool is the program that ran.
type packTool struct {
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	SHA256   string            `json:"sha256"` // of the program
	Revision string            `json:"revision,omitempty"`
	Modified bool              `json:"modified,omitempty"` // built from a tree that differs from the revision
	Go       string            `json:"go"`
	System   string            `json:"system"`
	Modules  map[string]string `json:"modules,omitempty"` // versions of those built in
}

// packSubject is what was audited.
type packSubject struct {
	Sample       string   `json:"sample"`
	SampleSHA256 string   `json:"sample_sha256"`
	Examples     int      `json:"examples"`
	Outputs      string   `json:"outputs"`
	Target       string   `json:"target"`
	Attributes   []string `json:"attributes"`
	Model        string   `json:"model,omitempty"`
	ModelSHA256  string   `json:"model_sha256,omitempty"`
	Data         string   `json:"data,omitempty"`
	DataSHA256   string   `json:"data_sha256,omitempty"`
}

// manifest lists the files with all that they depend on.
func (e *Evidence) manifest(files []packFile) ([]byte, error) {
	r, a := e.Report, e.Report.Audit
	tool, err := thisProgram()
	if err != nil {
		return nil, err
	}
	m := packManifest{
		Schema: evidenceSchema, Verdict: a.Verdict, Tool: tool, Command: r.Command, Seed: a.Settings.Seed, Settings: a.Settings, Options: r.options(),
		Breaches: append([]string{}, r.breaches()...), Files: files,
		Subject: packSubject{
			Sample: a.Sample, SampleSHA256: e.Sample.Sum(), Examples: a.Examples, Outputs: string(a.Outputs), Target: a.Target,
			Model: r.Model.Path, ModelSHA256: r.Model.SHA256, Data: r.Data.Name, DataSHA256: r.Data.SHA256,
		},
	}
	for _, f := range a.Findings {
		m.Subject.Attributes = append(m.Subject.Attributes, f.Attribute)
	}
	var b bytes.Buffer
	err = indented(&b, m)
	return b.Bytes(), err
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
	t := packTool{Name: "tattle", Version: ProgramVersion(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	path, err := os.Executable()
	if err != nil {
		return t, err
	}
	if t.SHA256, _, err = fileSum(path); err != nil {
		return t, err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t, nil
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			t.Revision = s.Value
		case "vcs.modified":
			t.Modified = s.Value == "true"
		}
	}
	for _, d := range info.Deps {
		if t.Modules == nil {
			t.Modules = map[string]string{}
		}
		t.Modules[d.Path] = d.Version
	}
	return t, nil
}

// ProgramVersion returns the version of the running program.
func ProgramVersion() string { return run.Current().Version }
