package curious

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"tattle/internal/must"
)

// memory keeps what is unfinished.
type memory map[string][]byte

func (m memory) Read(part string, s any) (found bool, err error) {
	if m[part] == nil {
		return false, nil
	}
	return true, json.Unmarshal(m[part], s)
}

func (m memory) Write(part string, s any) (err error) {
	m[part], err = json.Marshal(s)
	return err
}

// TestUnfinished stops trainings in every epoch, and continues them: nets, attacks and epochs
// are those of a training that never stopped. The pictures' net has dropout and batch norms.
func TestUnfinished(t *testing.T) {
	table, faces := trainingParts(50), pictures(60)
	teacher := trained(t, table, Options{Epochs: 1, Batch: 10}).Classifier
	for name, c := range map[string]struct {
		o     Options
		train func(context.Context, Options) (*Result, error)
	}{
		"parameterized": {Options{Attack: Parameterized, Net: smallNet, Attributes: []int{0}}, func(ctx context.Context, o Options) (*Result, error) { return Train(ctx, faces, o) }},
		"regularized":   {Options{Attack: Regularized, Attributes: []int{0}}, nil},
		"overlearning":  {Options{Attack: Overlearning}, nil},
		"mixture":       {Options{Attack: MixtureKind, Attributes: []int{0}}, nil},
		"student":       {Options{}, func(ctx context.Context, o Options) (*Result, error) { return Distill(ctx, teacher, table, o) }},
	} {
		if c.train == nil {
			c.train = func(ctx context.Context, o Options) (*Result, error) { return Train(ctx, table, o) }
		}
		c.o.Epochs, c.o.Batch, c.o.Seed = 3, 20, 5
		want := must.Get(c.train(t.Context(), c.o))(t)
		o, last := c.o, 0
		o.Unfinished = memory{}
		stops := 0
		for r, err := (*Result)(nil), error(context.Canceled); err != nil; stops++ {
			ctx, cancel := context.WithCancel(t.Context())
			first := true
			o.Progress = func(done, total int, _ float64) {
				if first && done <= last-3 && name != "overlearning" { // whose attacks are fitted again; an epoch has 2 or 3 steps
					t.Errorf("%s: step %d comes after step %d", name, done, last)
				}
				if first = false; done > last+4 { // more than an epoch
					last = done
					cancel()
				}
			}
			r, err = c.train(ctx, o)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) || stops > 20 {
				t.Fatalf("%s: stop %d: %v", name, stops, err)
			}
			if err == nil && (!reflect.DeepEqual(r.Epochs, want.Epochs) || r.Steps != want.Steps || r.Best != want.Best || !slices.Equal(allParameters(r), allParameters(want))) {
				t.Errorf("%s: %d steps with the best epoch %d of %+v, want %d, %d, %+v", name, r.Steps, r.Best, r.Epochs, want.Steps, want.Best, want.Epochs)
			}
		}
		if stops < 2 {
			t.Errorf("%s was not interrupted", name)
		}
	}
}

// allParameters lists those of the classifier and of all attacks.
func allParameters(r *Result) []uint32 {
	all := parameters(r.Classifier)
	for _, a := range r.Attacks {
		all = append(all, parameters(a.Graph)...)
	}
	return all
}

// TestUnfinishedRefuses wants an UnfinishedError for what is not of this training.
func TestUnfinishedRefuses(t *testing.T) {
	p := trainingParts(50)
	for want, s := range map[string]string{
		"after 2 epochs and 0 steps":        `{"Epochs": [{}, {}]}`,
		"says that the best one is epoch 2": `{"Epochs": [{}], "Steps": 1, "BestEpoch": 2}`,
		"a state with 0 arrays":             `{"Epochs": [{}], "Steps": 1, "BestEpoch": 1}`,
		"unexpected end of JSON":            `{`,
	} {
		_, err := Train(t.Context(), p, Options{Unfinished: memory{"classifier": []byte(s)}})
		must.Fail(t, err, want)
		if _, ok := errors.AsType[*UnfinishedError](err); !ok {
			t.Errorf("%v is a %T", err, err)
		}
	}
}
