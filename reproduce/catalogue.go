package reproduce

import (
	"slices"

	"tattle/curious"
)

// An entry builds one experiment.
type entry struct {
	name, title string
	data        Data
	tables      []tableOf
	pruned      []float64
}

// tableOf is a table whose figures stand in published/Name.csv.
type tableOf struct {
	name, title string // as the experiment's where empty
	rows        []label
	caption     string
	notes       []string
}

// catalogue has paper B's experiments.
var catalogue = []entry{
	{name: "table1", title: "Table 1: Smiling and four other attributes of CelebA", data: CelebA, tables: []tableOf{
		{name: "table1a", title: "Table 1 (A): the training part, and standard classifiers of each attribute", rows: []label{byGroup("attribute")},
			caption: "Shares of the training part and mutual information of each attribute (s) with Smiling (y); then the honesty of a standard classifier of the attribute itself.",
			notes:   []string{"HeavyMakeup and WavyHair are printed with rows and columns exchanged, as the sums show, which must be Smiling's; .285 is printed .28.5"}},
		{rows: []label{bySetting, byBeta}, caption: "y is Smiling, βx = 0. Std: overlearning, an attack on the outputs of one standard classifier."},
	}},
	{name: "table2", title: "Table 2: HairColor and three other attributes of CelebA", data: CelebA, tables: []tableOf{
		{rows: []label{bySetting, byBeta}, caption: "y is HairColor (three classes), βx = 0."},
	}},
	{name: "table3", title: "Table 3: Age and Race of UTKFace", data: UTKFace, tables: []tableOf{
		{rows: []label{byGroup("classes of y"), bySetting, byBeta}, caption: "y is Age, s is Race, parameterized attack. The paper's NC rows are Std: overlearning on raw outputs."},
	}},
	{name: "table4", title: "Table 4: Race and Gender of UTKFace", data: UTKFace, tables: []tableOf{
		{rows: []label{bySetting, byBeta}, caption: "y is Race, s is Gender."},
	}},
	{name: "table5", title: "Table 5: entropy minimization", data: UTKFace, tables: []tableOf{
		{rows: []label{bySetting, byBeta}, caption: "y is Age, s is Race, three classes each (UTKFace). Entropy is the mean of the outputs', in bits."},
	}},
	{name: "table6", title: "Table 6: a curious teacher and its student", data: CelebA, tables: []tableOf{
		{rows: []label{byGroup("sensitive"), byNet}, caption: "y is Smiling (CelebA), β = (0, .5, .5), soft outputs. The teacher learns from 80 % of the training part, the student from the teacher's outputs on the rest; the teacher's attack is applied to both.",
			notes: []string{"the student's layers are 64-64-64-64-64, as in the authors' program"}},
	}},
	{name: "table7", title: "Table 7: the classifier's capacity", data: UTKFace, tables: []tableOf{
		{rows: []label{byLayers}, caption: "y is Age, s is Race, three classes each (UTKFace), parameterized attack, β = (0, .7, .3). Entropy is the mean of the outputs', in bits."},
	}},
	{name: "table8", title: "Table 8: Race and Age of UTKFace", data: UTKFace, tables: []tableOf{
		{rows: []label{byGroup("classes of y"), bySetting, byBeta}, caption: "y is Race, s is Age. The paper's NC rows are Std: overlearning on raw outputs.",
			notes: []string{"the paper's caption says regularized; raw outputs and S > 2 are possible with the parameterized attack only, which is run"}},
	}},
	{name: "table9", title: "Table 9: Gender and Race of UTKFace", data: UTKFace, tables: []tableOf{
		{rows: []label{bySetting, byBeta}, caption: "y is Gender, s is Race. The regularized attack needs S = 2."},
	}},
	{name: "mixtures", title: "Figure 4: two mixtures of two classifiers", data: Plane, tables: []tableOf{
		{rows: []label{byGroup("mixture")}, caption: "Logistic regressions of y and of s on the plane of Figure 2, mixed by β = (.8, .2); the normal mixture is read by eq. (2) with τ′ = .1."},
	}},
	{name: "figure7", title: "Figure 7: ROC curves of Gender and Race of UTKFace", data: UTKFace, tables: []tableOf{
		{rows: []label{bySetting}, caption: "y is Gender, s is Race in two classes; regularized attack, β = (0, .5, .5)."},
	}},
	{name: "figure8", title: "Figure 8: entropies of the outputs", data: UTKFace, tables: []tableOf{
		{rows: []label{byGroup("histogram"), bySetting}, caption: "y is Age, s is Race, three classes each (UTKFace); the figures are Table 5's.",
			notes: []string{"the paper does not say which βy and βs; (.5, .5) are taken, whose mean entropies in Table 5 fit what it says of the histograms"}},
	}},
	{name: "figure9", title: "Figure 9: pruning", data: UTKFace, pruned: []float64{0, .1, .2, .3, .4, .5, .6, .7, .8, .9}, tables: []tableOf{
		{rows: []label{byGroup("panel"), bySetting}, caption: "y is Age, s is Race, three classes each (UTKFace). The table has what stands at the left of the curves, before pruning; the figures are Table 5's."},
	}},
	{name: "convex", title: "The convex case: what a linear classifier can trade", data: Plane},
}

// build reads the published figures and makes the grid.
func (e entry) build() (*Experiment, error) {
	x := &Experiment{Name: e.name, Title: e.title, Data: e.data, Pruned: e.pruned}
	for _, t := range e.tables {
		if t.name == "" {
			t.name, t.title = e.name, e.title
		}
		all, err := lines(t.name)
		if err != nil {
			return nil, err
		}
		x.table(Table{Name: t.name, Title: t.title, Caption: t.caption, Notes: slices.Clone(t.notes)}, t.rows, all)
	}
	x.order()
	return x, nil
}

// order keeps trainings on one target together, the standard net first: its data are
// opened once.
func (x *Experiment) order() {
	var targets []string
	for _, t := range x.Trainings {
		targets = union(targets, t.Target)
	}
	slices.SortStableFunc(x.Trainings, func(a, b Training) int {
		return 2*(slices.Index(targets, a.Target)-slices.Index(targets, b.Target)) + later(a) - later(b)
	})
}

func later(t Training) int {
	if t.Kind == curious.Standard {
		return 0
	}
	return 1
}
