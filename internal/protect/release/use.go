package release

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/math/stat"
)

// A Use says what vectors are used for: the vectors of a database that are nearest to a query are looked up, or a classifier is
// fitted to them.
type Use struct {
	Task   string `json:"task"`             // recall@K, target@K, probe or verification@P%
	Metric string `json:"metric,omitempty"` // MetricCosine or MetricEuclidean; empty: cosine
	Noise  string `json:"noise,omitempty"`  // where it is added: NoiseQuery, NoiseDatabase or NoiseBoth; empty: the query
	Views  string `json:"views,omitempty"`  // of the same examples: a path, or ViewsMirror; empty: none
	SHA256 string `json:"sha256,omitempty"` // of the views
}

// Values of a Use.
const (
	MetricCosine    = "cosine"
	MetricEuclidean = "euclidean"
	NoiseQuery      = "query"
	NoiseDatabase   = "database"
	NoiseBoth       = "both"
	ViewsMirror     = "mirror" // pictures, left and right exchanged

	taskRecall       = "recall"
	taskTarget       = "target"
	taskProbe        = "probe"
	taskVerification = "verification"

	// DefaultUse is the task of vectors if none is named.
	DefaultUse  = "recall@10"
	mostNearest = 1000
)

// Check returns an error for a task, a metric or a place of the noise that there is not.
func (u Use) Check() error {
	if _, _, _, err := u.parse(); err != nil {
		return err
	}
	for _, x := range []struct {
		value string
		known []string
	}{{u.Metric, []string{"", MetricCosine, MetricEuclidean}}, {u.Noise, []string{"", NoiseQuery, NoiseDatabase, NoiseBoth}}} {
		if !slices.Contains(x.known, x.value) {
			return fmt.Errorf("%q: give one of %s", x.value, strings.Join(x.known[1:], ", "))
		}
	}
	return nil
}

// parse reads the task: how many neighbours count, or the share of false accepts.
func (u Use) parse() (task string, k int, accepts float64, err error) {
	task, of, given := strings.Cut(u.Task, "@")
	switch task {
	case taskRecall, taskTarget:
		k = 10
		if given {
			k, err = strconv.Atoi(of)
		}
		if err != nil || k < 1 || k > mostNearest {
			return task, 0, 0, fmt.Errorf("%q: give a number of neighbours from 1 to %d, as in %s@10", u.Task, mostNearest, task)
		}
	case taskProbe:
		if given {
			return task, 0, 0, fmt.Errorf("%q: give probe alone", u.Task)
		}
	case taskVerification:
		accepts = .001
		if given {
			accepts, _, err = stat.ParseShare(of)
		}
		if err != nil || !(accepts > 0 && accepts < 1) {
			return task, 0, 0, fmt.Errorf("%q: give a share of false accepts, as in verification@0.1%%", u.Task)
		}
	default:
		return task, 0, 0, fmt.Errorf("%q: give recall@10, target@10, probe or verification@0.1%%", u.Task)
	}
	return task, k, accepts, nil
}

// ByTarget reports whether the task needs labels.
func (u Use) ByTarget() bool { return strings.HasPrefix(u.Task, taskTarget) || u.Task == taskProbe }

// Words say what the score is.
func (u Use) Words() string {
	task, k, accepts, _ := u.parse()
	switch task {
	case taskTarget:
		return fmt.Sprintf("target by %d neighbours", k)
	case taskProbe:
		return "target by a linear classifier"
	case taskVerification:
		return fmt.Sprintf("true accepts at %g %% false", 100*accepts)
	}
	return fmt.Sprintf("recall@%d", k)
}

// Noisy says how vectors are compared, and which of them have noise.
func (u Use) Noisy() string {
	what, metric := "the vectors nearest to a query", "cosine"
	if u.Views != "" {
		what = "another view of the same example"
	}
	if u.Metric == MetricEuclidean {
		metric = "Euclidean distance"
	}
	noise := "the query"
	switch u.Noise {
	case NoiseDatabase:
		noise = "the database"
	case NoiseBoth:
		noise = "both"
	}
	if u.Task == taskProbe {
		what = "logistic regression"
		if u.Metric != MetricEuclidean {
			what += " on vectors divided by their lengths"
		}
		return what + ", fitted to half of the people in the database, with noise on " + noise
	}
	return what + ", by " + metric + ", with noise on " + noise
}
