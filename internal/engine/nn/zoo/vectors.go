package zoo

import "tattle/internal/engine/nn"

// VectorNode is the node of [Vectors] whose output is released.
const VectorNode = "vectors"

// Vectors returns a net of vectors of n numbers that changes nothing: what is released are the vectors themselves.
func Vectors(n int) *nn.Graph {
	g := &nn.Graph{Input: "input", InputShape: []int{n}, Output: "output"}
	for _, edge := range [][2]string{{"input", VectorNode}, {VectorNode, "output"}} {
		g.Nodes = append(g.Nodes, &nn.Node{Name: edge[1], Op: &nn.Reshape{To: []int{n}}, Inputs: []string{edge[0]}, Output: edge[1]})
	}
	return g
}
