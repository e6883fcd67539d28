package nn

var matmulCases = []struct {
	op   MatMul
	a, b []int
	want []int
}{
	{MatMul{}, []int{5, 7}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransB: true}, []int{5, 7}, []int{3, 7}, []int{5, 3}},
	{MatMul{TransA: true}, []int{7, 5}, []int{7, 3}, []int{5, 3}},
	{MatMul{TransA: true, TransB: true}, []int{2, 7, 5}, []int{2, 3, 7}, []int{2, 5, 3}},
	{MatMul{}, []int{2, 3, 4, 5}, []int{5, 6}, []int{2, 3, 4, 6}}, // rows joined
	{MatMul{TransB: true}, []int{2, 3, 4, 5}, []int{1, 1, 6, 5}, []int{2, 3, 4, 6}},
	{MatMul{TransA: true}, []int{2, 5, 4}, []int{5, 6}, []int{2, 4, 6}},
	{MatMul{}, []int{4, 5}, []int{3, 5, 2}, []int{3, 4, 2}},
	{MatMul{}, []int{3, 1, 4, 5}, []int{2, 5, 2}, []int{3, 2, 4, 2}},
	{MatMul{TransA: true}, []int{2, 1, 1, 4}, []int{1, 3, 1, 2}, []int{2, 3, 4, 2}},
}
