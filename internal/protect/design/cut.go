package design

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
)

// mostFeatures is the largest number of released values at a node: their moments take half a
// gigabyte.
const mostFeatures = shape.MostFeatures

// mostCached is the largest number of features that are kept of all training data: 4 GB.
const mostCached = 1 << 30

// A cut is a model in two at a node, with the features of the training data.
type cut struct {
	node        string
	front, head *nn.Graph
	n           int
	features    rows // of the training data
	learn       []int
	validate    []int
	train       *dataset.Set   // with the labels to learn by
	moments     *shape.Moments // of the part to learn from
	scores      []float64      // of the model itself, of the examples to validate

	vectors rows                // outputs of the model for the training data, if they are vectors
	task    *release.Neighbours // of vectors, on the examples to validate
}

// rows are vectors.
type rows struct{ nn.Rows }

func (r rows) row(i int) []float32 { return r.X[i*r.P : (i+1)*r.P] }

// labelled returns the rows with labels.
func (r rows) labelled(labels []int) rows {
	r.Labels = labels
	return r
}

// moments returns those of some rows.
func (r rows) moments(ctx context.Context, indices []int, classes int) (*shape.Moments, error) {
	return shape.NewMoments(ctx, nn.Choose(r, indices), r.P, classes)
}

const passBatch = 250

// outputs returns the outputs of a model for all data.
func outputs(ctx context.Context, g *nn.Graph, data nn.Source, progress func(done, total int)) (rows, error) {
	m, err := nn.NewNet(g)
	if err != nil {
		return rows{}, err
	}
	p, n := m.Dims()
	if data.Len() > mostCached/max(n, 1) {
		return rows{}, fmt.Errorf("%d values for each of %d inputs need more than 4 GB of memory", n, data.Len())
	}
	r := rows{nn.Rows{P: n, X: make([]float32, data.Len()*n)}}
	return r, nn.EachBatch(ctx, data, p, nn.Indices(data.Len()), passBatch, func(indices []int, x []float32) error {
		first, end := indices[0], indices[0]+len(indices)
		m.Forward(r.X[first*n:end*n], x)
		for i, v := range r.X[first*n : end*n] {
			if v-v != 0 {
				return fmt.Errorf("example %d: value %d is %v", first+i/n, i%n, v)
			}
		}
		if progress != nil {
			progress(end, data.Len())
		}
		return nil
	})
}

// streamSplit numbers the random stream that splits the training data.
const streamSplit = 11

// others returns the numbers below n that are not in the list.
func others(n int, list []int) []int {
	in := make([]bool, n)
	for _, i := range list {
		in[i] = true
	}
	return slices.DeleteFunc(nn.Indices(n), func(i int) bool { return in[i] })
}

// newCut cuts g at a node and computes the features of the data.
func (s *searcher) newCut(ctx context.Context, node string, progress func(done, total int)) (*cut, error) {
	data, validate := s.train, s.validation()
	front, head, err := s.graph.Cut(node)
	if err != nil {
		return nil, err
	}
	if front, head, err = flat(front, head); err != nil {
		return nil, err
	}
	c := &cut{node: node, front: front, head: head, train: data, validate: validate, learn: others(data.Len(), validate)}
	if c.features, err = outputs(ctx, front, data, progress); err != nil {
		return nil, err
	}
	if c.n = c.features.P; c.n > mostFeatures {
		return nil, fmt.Errorf("%d features: at most %d can be shaped", c.n, mostFeatures)
	}
	whole, err := nn.NewNet(head)
	if err != nil {
		return nil, err
	}
	var task release.Task
	_, classes := whole.Dims()
	examples := c.validate
	if s.Use != nil {
		if classes, err = c.forVectors(ctx, s); err != nil {
			return nil, err
		}
		task, examples = c.task, pick(c.validate, c.task.Queries())
	}
	c.features = c.features.labelled(c.train.Y)
	if c.moments, err = c.features.moments(ctx, c.learn, classes); err == nil {
		_, c.scores, err = release.CleanUtility(ctx, whole, nn.Choose(c.features, examples), task, nil)
	}
	return c, err
}

// flat returns the two sides of a cut with a vector between them.
func flat(front, head *nn.Graph) (f, h *nn.Graph, err error) {
	shapes, err := front.Shapes()
	if err != nil {
		return nil, nil, err
	}
	if s := shapes[front.Output]; len(s) != 1 {
		n := nn.Size(s)
		front = shape.Join(front, shape.Chain("release-flat", s, &nn.Reshape{To: []int{n}}))
		head = shape.Join(shape.Chain("release-shape", []int{n}, &nn.Reshape{To: s}), head)
	}
	return front, head, nil
}

// tasksOf returns the labels that a release answers, of the given examples.
func tasksOf(data *dataset.Set, classes int, names []string, indices []int) []train.Task {
	tasks := []train.Task{{Name: data.YName, Classes: classes, Labels: pick(data.Y, indices)}}
	for _, name := range names {
		a := data.Attribute(name)
		tasks = append(tasks, train.Task{Name: name, Classes: len(a.Values), Labels: pick(a.Labels, indices)})
	}
	return tasks
}

// Cuts returns the nodes at which a graph can be cut in two, in order. Of nodes that need
// equally many multiply-adds, such as a layer and the activation behind it, it has the last.
func Cuts(g *nn.Graph) ([]string, error) {
	var nodes []string
	last := int64(-1)
	for _, n := range g.Nodes {
		front, _, err := g.Cut(n.Output)
		if err != nil {
			continue // something bypasses the node
		}
		cost, err := front.MultiplyAdds()
		if err != nil {
			return nil, err
		}
		if cost == last {
			nodes = nodes[:len(nodes)-1]
		}
		nodes, last = append(nodes, n.Name), cost
	}
	return nodes, nil
}
