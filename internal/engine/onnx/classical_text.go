package onnx

// Text is computed with as numbers: each text that a file holds has one, from 0 on.

// codes returns the numbers that stand for texts.
func (d *decoder) codes(texts []string) []float64 {
	list := make([]float64, len(texts))
	for i, s := range texts {
		n, ok := d.texts[s]
		if !ok {
			n = len(d.words)
			d.texts[s], d.words = n, append(d.words, s)
		}
		list[i] = float64(n)
	}
	return list
}
