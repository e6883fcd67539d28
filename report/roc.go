package report

// ROC are the curves of one run on one attribute, a curve a class against the
// rest (B Figure 7).
type ROC struct {
	Run       string     `json:"run"` // a row of the figure
	Of        string     `json:"of"`  // OfHonesty (left) or OfCuriosity (right)
	Attribute string     `json:"attribute"`
	Curves    []ROCCurve `json:"curves"`
}

// What a ROC curve is about.
const (
	OfHonesty   = "honesty"
	OfCuriosity = "curiosity"
)

// ROCCurve is the true against the false positive rate as the threshold falls,
// from (0, 0) to (1, 1).
type ROCCurve struct {
	Class         string    `json:"class"`
	AUC           Number    `json:"auc"`
	Interval      Interval  `json:"auc_interval,omitzero"`
	FalsePositive []float64 `json:"false_positive"`
	TruePositive  []float64 `json:"true_positive"`
}
