package measure

import (
	"tattle/bayes"
	"tattle/dataset"
	"tattle/nn"
)

// mostRemembered is the largest number of feature values of a data set that are kept in memory
// between the passes over lists of its inputs: 134 MB.
const mostRemembered = 1 << 24

// memos keep the features of data sets, all of one model.
type memos map[*dataset.Set]*bayes.Memo

// of returns the memo of a data set for a model of n features, nil if there would be too many.
func (m memos) of(data nn.Source, n int) *bayes.Memo {
	set, ok := data.(*dataset.Set)
	if !ok || set.Len() > mostRemembered/n {
		return nil
	}
	if m[set] == nil {
		m[set] = bayes.NewMemo(set.Len(), n)
	}
	return m[set]
}
