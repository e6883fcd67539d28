package measure

import (
	"cmp"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
)

// memoShare is the part of the memory, one in so many, that the features of a data set may take: 134 MB
// of the default.
const memoShare = 32

// memos keep the features of data sets, all of one model, between the passes over lists of their inputs.
type memos struct {
	most int // feature values of a data set
	of   map[*dataset.Set]*bayes.Memo
}

// newMemos returns memos for a run that may take so many bytes; 0 stands for the default.
func newMemos(memory int64) *memos {
	return &memos{int(cmp.Or(memory, bound.DefaultMemory) / memoShare / 8), map[*dataset.Set]*bayes.Memo{}}
}

// memo returns the memo of a data set, or of chosen examples of it, for a model of n features; nil if there would be too many.
func (m *memos) memo(data nn.Source, n int) *bayes.Memo {
	if of, indices := nn.ChosenFrom(data); indices != nil {
		if all := m.memo(of, n); all != nil {
			return all.Chosen(indices)
		}
		return nil
	}
	set, ok := data.(*dataset.Set)
	if !ok || set.Len() > m.most/n {
		return nil
	}
	if m.of[set] == nil {
		m.of[set] = bayes.NewMemo(set.Len(), n)
	}
	return m.of[set]
}
