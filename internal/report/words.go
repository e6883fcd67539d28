package report

import "maps"

// words are what findings say, by code. Every sentence has at most 25 words and one number.
var words = joined(general, release, paperA, promise, certificate, audited, trained)

// joined joins the words of the kinds of reports.
func joined(kinds ...map[string]Wording) map[string]Wording {
	all := map[string]Wording{}
	for _, k := range kinds {
		maps.Copy(all, k)
	}
	return all
}

// general are findings of every kind of report.
var general = map[string]Wording{
	"warning": {Part: Limit, Says: "{1}"},
	"note":    {Part: About, Says: "{1}"},
}

const (
	listBest   = "An adversary with a list of {candidates} candidates names the right {1} in "
	meanError  = "guessing the mean without the release"
	noClosener = "No attack that ran is shown to err by less than " + meanError + "."
)

// release are findings on what a release gives away.
var release = map[string]Wording{
	// What is said first, the worst first.
	"identified":         {Part: Verdict, Badge: "Input identified", Tone: Bad, Says: listBest + "at least {identified.low} of releases{2}."},
	"not_excluded":       {Part: Verdict, Badge: "Identification not excluded", Tone: Warn, Says: listBest + "at most {identified.high} of releases{2}."},
	"not_excluded.most":  {Part: Verdict, Badge: "Identification not excluded", Tone: Bad, Says: listBest + "at most {identified.high} of releases{2}."},
	"identified.some":    {Part: Verdict, Badge: "Input sometimes identified", Tone: Warn, Says: listBest + "at most {identified.high} of releases{2}."},
	"identified.common":  {Part: Verdict, Badge: "Common inputs are guessed without the release", Tone: Warn, Says: listBest + "at most {identified.high} of releases, if all candidates are equally likely{2}."},
	"identified.little":  {Part: Verdict, Badge: "Identified little more often than by guessing", Says: listBest + "at most {identified.high} of releases (guessing: {identified@guessing}){2}."},
	"identified.rarely":  {Part: Verdict, Badge: "Input rarely identified", Says: listBest + "at most {identified.high} of releases{2}."},
	"recognised":         {Part: Verdict, Badge: "Class recognised", Tone: Warn, Says: "The model assigns {recognised} of the reconstructions by the {1} attack to the original's class (without the release: {recognised@without the release}; inputs attacked: {recognised.n})."},
	"reconstructed":      {Part: Verdict, Badge: "Closer than guessing", Tone: Warn, Says: "The best attack that ran errs by {attack}, and " + meanError + " by {attack@without the release}."},
	"reconstructed.here": {Part: Verdict, Badge: "Closer than guessing", Tone: Warn, Says: "On the inputs of this run ({attack.n}), the best attack errs by {attack}, and " + meanError + " by {attack@without the release}."},
	"no_attack_closer":   {Part: Verdict, Badge: "No reconstruction shown", Says: noClosener},
	"nothing_proved":     {Part: Verdict, Badge: "Nothing is proved", Tone: Warn, Says: "No bound holds for this release: {1}."},
	"vacuous":            {Part: Verdict, Badge: "The bound is vacuous", Tone: Bad, Says: "The bound for unbiased estimators is below one grey level for half of the coordinates, so it protects nobody."},
	"unbounded":          {Part: Verdict, Badge: "No bound of use", Tone: Warn, Says: "For half of the coordinates, the witnesses change the features by rounding alone. This limits no adversary who knows what inputs look like."},
	"bounded":            {Part: Verdict, Badge: "Bound for unbiased estimators only", Says: "Unbiased estimators err by at least {bound.low} in half of the coordinates. An adversary who knows what inputs look like may err by less."},
	"uncertified":        {Part: Verdict, Badge: "Nothing is certified", Says: "No bound is certified: {1}."},

	// Beside it.
	"attack.closer":       {Part: Evidence, Says: "The best attack that ran errs by {attack}, and " + meanError + " by {attack@without the release}."},
	"attack.here":         {Part: Evidence, Says: "On the inputs of this run ({attack.n}), the best attack errs by {attack}, and " + meanError + " by {attack@without the release}. These inputs do not show it for others."},
	"attack.not_closer":   {Part: Evidence, Says: noClosener + " A better attack may."},
	"attack.recognised":   {Part: Evidence, Says: "The model assigns {recognised} of the reconstructions by the {1} attack to the original's class (without the release: {recognised@without the release}; inputs attacked: {recognised.n})."},
	"floor":               {Part: Evidence, Says: "No adversary who knows only the distribution of inputs errs by less than {floor.low} on average over inputs."},
	"floor.none":          {Part: Evidence, Says: "No floor is certified for adversaries who know the distribution of inputs: at this noise, {1} do not prove one."},
	"floor.rows":          {Part: Evidence, Says: "This limit counts {1} people. If every input were of another person, it would be {floor.rows}."},
	"floor.rows.enough":   {Part: Evidence, Says: "About {1} people would bring this floor to nine tenths of what it is for an adversary who holds the sample."},
	"guess.rows":          {Part: Evidence, Says: "Without a list, the limit on guesses of {subject} counts {1} people. If every input were of another person, it would be {guess.rows}."},
	"guess.rows.enough":   {Part: Evidence, Says: "About {1} people would bring the wrong guesses of {subject} to nine tenths of those of an adversary who holds the sample."},
	"floor.column":        {Part: Evidence, Says: "No adversary who knows only what rows look like recovers {subject} to within {floor.low} on average, in the column's own unit."},
	"exposed":             {Part: Evidence, Says: "Estimated: one {1} in a hundred is named in at least {exposed.q99} of releases by the adversary who names the likeliest."},
	"exposed.more":        {Part: Evidence, Says: "People with {1} are more exposed than those with {2}: they are named more often on average, with 99.9 % confidence."},
	"exposed.alike":       {Part: Evidence, Says: "No value of {subject} is shown to be more exposed than another."},
	"exposed.enough":      {Part: Evidence, Says: "If the difference between {1} and {2} is as large as it seems, about {3} people would show it (--exposed-people)."},
	"worst":               {Part: Evidence, Says: "Whatever the data: with {2}, nobody names the input among {1} equally likely candidates with a probability above {worst.high}. The clip of the norm alone proves it."},
	"worst.vacuous":       {Part: Limit, Says: "What the clip of the norm proves is vacuous at this noise: {worst.high} of releases may name the input among {1} candidates."},
	"worst.real":          {Part: Condition, Says: "The limits that hold whatever the data are for Gaussian noise in real arithmetic. The low-order bits of floating-point noise reveal more; --noise lattice is exact."},
	"worst.none":          {Part: Limit, Says: "The clip of the norm proves nothing alone: that needs Gaussian noise, or noise on a lattice whose sigma is at least twice its delta."},
	"clipped":             {Part: Evidence, Says: "The norm is clipped for {clipped} of {clipped.n} inputs."},
	"clipped.all":         {Part: Limit, Says: "The norm is clipped for all inputs: of their features, only the direction is released."},
	"hidden":              {Part: Evidence, Says: "New {1} were hidden one by one among the candidates. An adversary who takes all to be equally likely identifies them in at most {identified.new.high} of releases."},
	"pairs":               {Part: Evidence, Says: "For half of {1}, there is another input such that no adversary errs by less than {pair.whole.q50.low}, averaged over the two."},
	"pairs.estimated":     {Part: Evidence, Says: "Estimated: for half of {1}, there is another input such that no adversary errs by less than {pair.whole.q50.low}, averaged over the two."},
	"twins":               {Part: Evidence, Says: "For {1} of the coordinates where twins were sought, another input has the same features{2}: unbiased estimators cannot resolve them."},
	"unbiased":            {Part: Evidence, Says: "Unbiased estimators err by at least {bound.low} in half of the coordinates."},
	"unbiased.vacuous":    {Part: Evidence, Says: "The bound for unbiased estimators is vacuous: less than one grey level for half of the coordinates."},
	"unbiased.unbounded":  {Part: Evidence, Says: "For half of the coordinates, near witnesses change the features by rounding alone: the bound for unbiased estimators is of no use."},
	"unbiased.none":       {Part: Evidence, Says: "No bound for unbiased estimators is certified: {1}."},
	"unbiased.above":      {Part: Evidence, Says: "This floor is vacuous for adversaries who know the prior: {1} errs by {bound@prior} at the median."},
	"unbiased.uncompared": {Part: Evidence, Says: "This floor was not compared with guessing the mean of the training data, which was not measured."},
	"fewer":               {Part: Evidence, Says: "A release has {1} numbers and an input {2}. Along directions that do not change the release, no unbiased estimator exists, in real arithmetic among any real inputs."},
	"covariance":          {Part: Evidence, Says: "Proved without sampling: the release reveals at most {bits.most.high} about which candidate is the input. So at most {identified.fano.high} of releases are identified (Fano's inequality)."},
	"released":            {Part: Evidence, Says: "Released: {1}."},
	"cost":                {Part: Evidence, Says: "{Score} goes from {accuracy.clean} to {accuracy} on {accuracy.n} inputs."},
	"cost.database":       {Part: Evidence, Says: "What is measured: {1}. The database has {database} vectors of the same part."},
	"cost.pairs":          {Part: Evidence, Says: "The threshold is set by {pairs} pairs of different people, so the share of false accepts is theirs."},
	"cost.none":           {Part: Evidence, Says: "The release costs no {score}: it stays at {accuracy} on {accuracy.n} inputs."},
	"cost.unknown":        {Part: Evidence, Says: "The cost in accuracy is unknown: the data have no labels for this model."},
	"rank":                {Part: Evidence, Says: "Estimated: near each input, the features change along {rank} directions of {1} (median). Unbiased estimates exist only along these."},
	"sought":              {Part: Evidence, Says: "Witnesses were sought by {1}."},
	"rounding.proved":     {Part: Evidence, Says: "Rounding: proved, by the running error analysis of a float64 pass."},
	"rounding.pairs":      {Part: Evidence, Says: "Rounding: proved, in pairs of float64; the net is too deep for the analysis of a single pass."},
	"rounding.measured":   {Part: Limit, Says: "The rounding of this net's features is measured, not proved. So no bound here is certified; those by witnesses are estimates."},
	"divergence":          {Part: Limit, Says: "How well {1} noise hides a change of the features is not proved. It is a Monte Carlo limit with 99.9999 % confidence. So no bound here is certified; those by witnesses are estimates."},
	"runtime":             {Part: Evidence, Says: "Runtime: {1}. {2}"},
	"vacuous.rows":        {Part: Evidence, Says: "Vacuous rows: {1}."},

	// Limits.
	"limits.list":           {Part: Limit, Says: "Limits on every adversary hold on average over inputs and noise. A single input can be easier to reconstruct, and an adversary who knows more about it can come closer."},
	"limits.processed":      {Part: Condition, Says: "Limits are for the noisy values before post-processing. The release may reveal less."},
	"limits.frequencies":    {Part: Condition, Says: "The limits take all different inputs of the list to be equally likely. One who knows how often each occurs may do better; the commonest is {1} of all."},
	"limits.own_list":       {Part: Condition, Says: "The candidates are the measured data themselves: an adversary with this list holds every input that is measured."},
	"limits.conditions":     {Part: Condition, Says: "Limits without a list depend on three conditions that this run cannot check: {1}."},
	"limits.shared":         {Part: Condition, Says: "{1} of the sample equal candidates. If the model was trained on the candidates, it was trained on these."},
	"limits.sigma":          {Part: Condition, Says: "The strength of the noise was computed from {1}, so the limits without a list hold for every strength at once. --sigma makes them closer."},
	"limits.clip":           {Part: Condition, Says: "The clip of the lattice was computed from {1}, so the limits without a list hold for 64 clips at once."},
	"limits.training_noise": {Part: Condition, Says: "The noise was computed from training data, not from the sample."},
	"limits.balls":          {Part: Condition, Says: "Floors without a list hold whatever the range of inputs. {1} of the sample choose how far from the mean an input can lie before it is moved closer."},
	"limits.range":          {Part: Condition, Says: "Limits without a list also assume that all inputs are within the range of these data."},
	"limits.unbiased":       {Part: Limit, Says: "Bounds for unbiased estimators do not limit an adversary who knows what inputs look like: such an adversary is biased and may come closer."},
	"limits.none":           {Part: Limit, Says: "No bound holds for this release: {1}."},
	"limits.attacks":        {Part: Limit, Says: "A better attack may come closer than those that ran."},
	"limits.no_attack":      {Part: Limit, Says: "No reconstruction was tried: the report does not say how close one would come."},
	"limits.itself":         {Part: Limit, Says: "Prior and attacks learned from the inputs that they are measured on, so they look better than they are."},
	"limits.examined":       {Part: Limit, Says: "Examined: {1} of {2} examples. Attacks and bounds for unbiased estimators are about these."},
	"limits.queries":        {Part: Limit, Says: "Attacks, bounds and limits are for {1} releases of each input together."},
	"limits.free":           {Part: Condition, Says: "Bounds by near witnesses are for adversaries who are unbiased for all real inputs. --domain legal asks it only within the range of the data."},
	"limits.stored":         {Part: Condition, Says: "Near witnesses are rounded to stored inputs (domain stored). Most are too small for that, and prove little or nothing."},
	"limits.storage":        {Part: Condition, Says: "How the data are stored is not known. Far witnesses and twins are real numbers within the data's range; --domain stored makes them float32 numbers."},
	"limits.published":      {Part: Condition, Says: "The search is the authors' program, which damps the directions that change the features least. algorithm1 and direct give larger bounds."},
	"limits.pairs":          {Part: Condition, Says: "A pair floor is vacuous for an adversary who knows that one of the two inputs is implausible."},
	"left_out":              {Part: Limit, Says: "Left out: {1}."},

	// What to do.
	"advice.identified": {Part: Advice, Says: "Do not rely on this release to hide which input it is."},
	"advice.design":     {Part: Advice, Says: "To find the least noise that keeps a promise about every adversary (docs/design.md): {1}"},
}

// paperA are findings on the figures of paper A.
var paperA = map[string]Wording{
	"published":        {Part: Verdict, Badge: "Published beside ours", Says: "Within 10 % of ours: {published.near} of {published.printed} figures that paper A prints. The bounds that they describe limit unbiased estimators only."},
	"published.some":   {Part: Evidence, Says: "The authors' procedure ran on the first {1} of {2} examples."},
	"published.peaks":  {Part: Evidence, Says: "The peaks of Figure 1 were read off its pictures; the paper prints no numbers of them. In float32, its bounds at s = 1/1000 have an error of up to 3.5 %. What causes the rest of its rise from 1/200 to 1/1000 is not known."},
	"published.search": {Part: Evidence, Says: "The weights differ from the paper's, and so does the search. The paper's program solves one LSQR for a stack of images and stops it early, which damps the small singular values. This changes the median and the upper tail more than the peak."},
	"published.drawn":  {Part: Evidence, Says: "The weights and the pictures are not the paper's; of its histograms it prints no numbers."},
}

// promise are findings on a promise about every adversary.
var promise = map[string]Wording{
	"promise.kept":            {Part: Verdict, Badge: "Promise kept", Tone: Good, Says: "This release keeps all limits of the promise: {1}."},
	"promise.kept.recognised": {Part: Verdict, Badge: "Promise kept", Tone: Warn, Says: "This release keeps all limits of the promise ({1}). But the {2} attack recovers the class in {recognised} of reconstructions (inputs attacked: {recognised.n})."},
	"promise.kept.warn":       {Part: Verdict, Badge: "Promise kept", Tone: Warn, Says: "This release keeps all limits of the promise ({1}). {2}"},
	"promise.kept.bad":        {Part: Verdict, Badge: "Promise kept", Tone: Bad, Says: "This release keeps all limits of the promise ({1}). {2}"},
	"promise.missed":          {Part: Verdict, Badge: "Promise not kept", Tone: Bad, Says: "This release does not keep the promise. Missed: {1}."},
	"promise.missed.looks":    {Part: Verdict, Badge: "Promise not kept", Tone: Bad, Says: "This release is not shown to keep the promise, nor with up to {2} times its noise. Missed: {1}."},
	"promise.none":            {Part: Verdict, Badge: "Promise not kept", Tone: Bad, Says: "In the search, none of {tried} releases keeps the promise. What may help: looser limits, other nodes or other methods."},
	"limit.kept":              {Part: Detail, Badge: "Yes", Says: "{subject}: {figure}, limit {limit.asked}."},
	"limit.missed":            {Part: Detail, Badge: "No", Says: "{subject}: {figure}, limit {limit.asked}, not kept."},
	"limit.lacks":             {Part: Detail, Badge: "Not measured", Says: "{subject} was not measured (limit {limit.asked}): {1}."},
	"help.measure":            {Part: Advice, Says: "Measure what was not measured."},
	"help.noise":              {Part: Advice, Says: "Add more noise."},
	"help.draws":              {Part: Advice, Says: "Take more draws in the final measurement (--list-draws), or a looser limit."},
	"help.data":               {Part: Advice, Says: "Give more test data, or promise a looser floor."},
	"help.nodes":              {Part: Advice, Says: "Promise less, or try other nodes or other methods."},
	"design.examine":          {Part: Advice, Says: "To examine the release further, in the folder in which this ran: {1}"},
	"design.pack":             {Part: Advice, Says: "To deploy the release with its certificate: {1}"},
}

// certificate are findings of a certificate of the guard.
var certificate = map[string]Wording{
	"certificate":        {Part: Verdict, Badge: "Measured", Says: "These figures hold for the integers that a guard releases of an input within the budget, to an adversary with {1} of it."},
	"certificate.kept":   {Part: Verdict, Badge: "Promise kept", Says: "These figures hold for the integers that a guard releases of an input within the budget, to an adversary with {1} of it."},
	"certificate.missed": {Part: Verdict, Badge: "Promise not kept", Tone: Bad, Says: "The release of the run does not keep its promise. The figures hold for the integers that a guard releases, to an adversary with {1} of an input."},
	"certificate.says":   {Part: Evidence, Says: "{1}"},
	"uncovered":          {Part: Meaning, Says: "{1}"},
}

// audited are findings of an audit. {1} are the attributes with the same verdict, {2} the outputs, {3} the best guess
// without them, {4} what the adversary knows.
var audited = map[string]Wording{
	"curious.excess":        {Part: Verdict, Badge: "Reveals {1}", Label: "curious", Tone: Bad, Rule: RuleCurious, Case: "attribute", Says: saysExcess},
	"curious.excess.number": {Part: Verdict, Badge: "Reveals {1}", Label: "curious", Tone: Bad, Rule: RuleCurious, Case: "attribute", Says: saysVariance},
	"curious.auc":           {Part: Verdict, Badge: "Reveals {1}", Label: "curious", Tone: Bad, Rule: RuleCurious, Case: "attribute", Says: saysAUC},
	"curious.gain":          {Part: Verdict, Badge: "Reveals {1}", Label: "curious", Tone: Bad, Rule: RuleCurious, Case: "attribute", Says: saysGain},
	"curious.gain.number":   {Part: Verdict, Badge: "Reveals {1}", Label: "curious", Tone: Bad, Rule: RuleCurious, Case: "attribute", Says: saysGain},
	"beyond.excess":         {Part: Verdict, Badge: "Reveals {1}", Label: "leaky beyond the target", Tone: Bad, Rule: RuleBeyond, Case: "attribute", Says: saysExcess},
	"beyond.excess.number":  {Part: Verdict, Badge: "Reveals {1}", Label: "leaky beyond the target", Tone: Bad, Rule: RuleBeyond, Case: "attribute", Says: saysVariance},
	"beyond.auc":            {Part: Verdict, Badge: "Reveals {1}", Label: "leaky beyond the target", Tone: Bad, Rule: RuleBeyond, Case: "attribute", Says: saysAUC},
	"beyond.gain":           {Part: Verdict, Badge: "Reveals {1}", Label: "leaky beyond the target", Tone: Bad, Rule: RuleBeyond, Case: "attribute", Says: saysGain},
	"beyond.gain.number":    {Part: Verdict, Badge: "Reveals {1}", Label: "leaky beyond the target", Tone: Bad, Rule: RuleBeyond, Case: "attribute", Says: saysGain},
	"leaky.guessed":         {Part: Verdict, Badge: "Correlated with {1}", Label: "leaky by correlation", Tone: Warn, Rule: RuleLeaky, Case: "attribute", Says: "From the {2}, {subject} is guessed right for {guessed} of examples, and for {without} by {3}. Beyond the margins, this is not shown to be more than {4} explain."},
	"leaky.guessed.number":  {Part: Verdict, Badge: "Correlated with {1}", Label: "leaky by correlation", Tone: Warn, Rule: RuleLeaky, Case: "attribute", Says: "The {2} explain {guessed} of the variance of {subject}, and {3} explains {without}. Beyond the margins, this is not shown to be more than {4} explain."},
	"leaky.depends":         {Part: Verdict, Badge: "Correlated with {1}", Label: "leaky by correlation", Rule: RuleLeaky, Case: "attribute", Says: "The {2} depend on {subject}, but no guess from them is shown to be right more often than {3} (difference at most {excess.high})."},
	"leaky.depends.number":  {Part: Verdict, Badge: "Correlated with {1}", Label: "leaky by correlation", Rule: RuleLeaky, Case: "attribute", Says: "The {2} depend on {subject}, but are not shown to explain more of its variance than {3} (difference at most {excess.high})."},
	"no_evidence":           {Part: Verdict, Badge: "Nothing found", Label: "no evidence", Tone: Good, Case: "attribute", Says: "No attack is shown to guess {subject} from the {2} better than {4} explain."},
	"chosen":                {Part: Evidence, Says: "The guesses about {subject} are those of the attacks {1}."},
	"classes":               {Part: About, Says: "The classes of {subject}: {1}."},
	"no_evidence.power":     {Part: Verdict, Badge: "Nothing found", Label: "no evidence", Tone: Good, Case: "attribute", Says: "No attack is shown to guess {subject} from the {2} better than {4} explain. Leaks of {detectable} like the planted ones are found with probability 0.9."},

	"inconclusive.nothing":      {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Says: "There was no attribute to audit."},
	"inconclusive.control":      {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "A control of this audit failed, so it shows nothing about {subject}."},
	"inconclusive.unusable":     {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: {5}."},
	"inconclusive.people":       {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: the most similar outputs have the same value far more often than slightly less similar ones. Several rows of one person would look so."},
	"inconclusive.possible":     {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: a guess that is always right would hardly be better than {3}, so finding nothing proves nothing. Examples with more of its rarer values would help."},
	"inconclusive.shuffling":    {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: shuffling it among {movable} comparable examples finds no leak, however large, so finding nothing proves nothing."},
	"inconclusive.unknown":      {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: how large an excess would have been found is not known."},
	"inconclusive.missed":       {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: a planted channel was not found at any size, so finding nothing proves nothing. More examples would help."},
	"inconclusive.power":        {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: in some kind of channel, only an excess of {detectable} would have been found with probability 0.9, so finding nothing proves little."},
	"inconclusive.power.enough": {Part: Verdict, Badge: "Inconclusive", Label: "inconclusive", Rule: RuleInconclusive, Case: "attribute", Says: "{subject}: in some kind of channel, only an excess of {detectable} would have been found with probability 0.9. About {5} examples would be enough."},

	"control.negative.passed": {Part: Meaning, Label: "passed", Case: "control", Says: "Check of this audit: with shuffled labels it found nothing, as it should."},
	"control.negative.failed": {Part: Meaning, Label: "failed", Case: "control", Rule: RuleControl, Says: "Check of this audit: with shuffled labels it found something ({control.excess}), so its results cannot be trusted. {2}"},
	"control.positive.passed": {Part: Meaning, Label: "passed", Case: "control", Says: "Check of this audit: it found a planted curious model on {1} (excess {control.excess})."},
	"control.positive.scores": {Part: Meaning, Label: "passed", Case: "control", Says: "Check of this audit: it found a planted curious model on {1}, by scores and not by more right guesses."},
	"control.positive.failed": {Part: Meaning, Label: "failed", Case: "control", Rule: RuleControl, Says: "Check of this audit: it did not find a planted curious model on {1} (excess {control.excess}). {2}"},
	"control.vector.passed":   {Part: Meaning, Label: "passed", Case: "control", Says: "Check of this audit: it found a planted attribute (excess {control.excess})."},
	"control.vector.scores":   {Part: Meaning, Label: "passed", Case: "control", Says: "Check of this audit: it found a planted attribute, by scores and not by more right guesses."},
	"control.vector.failed":   {Part: Meaning, Label: "failed", Case: "control", Rule: RuleControl, Says: "Check of this audit: it did not find a planted attribute (excess {control.excess}). {2}"},
	"uncontrolled":            {Part: Limit, Says: "No controls were run, so it is not shown that this audit works on these data."},

	"learns.beyond":       {Part: Meaning, Says: "Anybody who has the outputs learns something about {1} that {2} do not explain."},
	"learns":              {Part: Meaning, Says: "Anybody who has the outputs learns something about {1}."},
	"learns.honest":       {Part: Meaning, Says: "An honest model of {1} may do the same, because both are correlated."},
	"hidden_leaks":        {Part: Meaning, Says: "Leaks that differ from the planted ones can be larger and are not detected."},
	"intent.recipe":       {Part: Meaning, Says: "This does not show intent: the references are not known to have the same recipe, so they can only show a difference."},
	"intent.stated":       {Part: Meaning, Says: "Honest classifiers ({above_honest.n}), of the same recipe as stated by the person who ran the audit, reveal less, by {above_honest} on average."},
	"intent.curious":      {Part: Meaning, Says: "{above_honest.n} honestly trained classifiers of the same recipe reveal less, by {above_honest} on average."},
	"intent.vectors":      {Part: Meaning, Says: "This does not show intent: honest training may put as much into such vectors; this was not measured."},
	"intent.references":   {Part: Meaning, Says: "This does not show intent: the outputs are not shown to reveal more than honest training by the same recipe."},
	"intent.unmeasured":   {Part: Meaning, Says: "This does not show intent: honest training for the same task may reveal as much; this was not measured."},
	"references":          {Part: Evidence, Says: "{1} honest classifiers reach {honest} on average; this one differs by {above_honest} (at least {above_honest.low} at {above_honest.confidence} confidence)."},
	"references.unpaired": {Part: Evidence, Says: "{1} honest classifiers reach {honest} on average, by their excess on other examples; this one differs by {above_honest} (at least {above_honest.low} at {above_honest.confidence} confidence)."},
	"few_movable":         {Part: Evidence, Says: "Only {movable} of {movable.n} examples are in one fold with another one{1} that has a different {subject}."},
	"label_depends":       {Part: Evidence, Says: "The predicted {1} itself depends on {subject}: the label alone reveals something about it."},
	"no_attack":           {Part: Limit, Says: "No attack ran, so nothing is demonstrated. This does not show that the outputs are safe."},
	"some_attacks":        {Part: Limit, Says: "Only the attacks that --attacks lists ran ({1}): without it, an audit has more."},
	"attacks_that_ran":    {Part: Meaning, Says: "All figures are of attacks that ran on these examples. Another attack, or another attribute, may reveal more."},
	"defence.note":        {Part: Evidence, Says: "Defence {subject}: {1}"},

	"people":              {Part: Evidence, Says: "Rows of one {2} count as one observation: figures are means over {1} people, and tests and limits count people."},
	"advice.people":       {Part: Advice, Says: "Name the column that says which person each row is about with --group. If every row is of another person, use --group none."},
	"advice.copies":       {Part: Advice, Says: "Remove copied examples and audit again with another --seed. If it fails again, report a bug in this program."},
	"advice.planted":      {Part: Advice, Says: "What was planted was not found on {1}: give more examples, or run all attacks."},
	"advice.less_vectors": {Part: Advice, Says: "Release less than these vectors, such as fewer numbers or what the task needs of them, and audit what is released."},
	"advice.less":         {Part: Advice, Says: "Release less than these outputs, at best the label alone, and audit what is released."},
	"advice.ask":          {Part: Advice, Says: "Ask whoever trained the model for its training code and data: its outputs reveal more than those of honest classifiers of the same recipe."},
	"advice.recipe":       {Part: Advice, Says: "Compare with references of the audited model's own recipe; --same-recipe states that they have it."},
	"advice.reference":    {Part: Advice, Says: "Measure how much honest training reveals: --reference trains nets on the training data. For a file of outputs, --reference-scores names those of your own honest classifiers."},
	"advice.decide":       {Part: Advice, Says: "Decide whether the task may reveal this attribute at all: no honest model can hide what its label reveals."},
	"advice.examples":     {Part: Advice, Says: "Audit more examples, with every class of every attribute among them."},
	"advice.repeat":       {Part: Advice, Says: "Repeat the audit when the model, its outputs or the population changes."},
	"defence.release":     {Part: Advice, Says: "Release {1}: of the defences that leave no excess above the margin, and no gain or AUC shown above its own, it changes least. With it, {2} of answers are right."},
	"defence.none":        {Part: Advice, Says: "No defence is needed against the attacks that were tried: without one they leave no excess above the margin."},
	"defence.label":       {Part: Advice, Says: "Release the label only, or nothing: no defence that was tried is shown to close the leak. What the label itself reveals remains."},
	"defence.alone":       {Part: Advice, Says: "Release the label only, or nothing. {1} would be enough if it had been tried alone: try it on other examples."},
	"defence.impossible":  {Part: Advice, Says: "No attribute could be attacked, so no defence could be tried."},

	Broken:        {Part: Ruled, Rule: RuleThreshold, Says: "Broken rule: {1}."},
	BrokenVerdict: {Part: Ruled, Says: "Broken rule: {1}."},
	Failed:        {Part: Detail, Says: "The control failed."},
	Undecided:     {Part: Detail, Says: "The audit does not decide on {subject}."},
	Accepted:      {Part: Ruled, Says: "Accepted finding on {subject}: {1}."},
}

const (
	saysExcess   = "From the {2} alone, {subject} is guessed right for {guessed} of examples, and by {3} for {without}. Neither chance ({excess.confidence} confidence) nor {4} explain the difference."
	saysVariance = "The {2} explain {guessed} of the variance of {subject}, and {3} explains {without}. Neither chance ({excess.confidence} confidence) nor {4} explain the difference."
	saysAUC      = "Of two examples{6}, one of them with {5}, an attack on the {2} picks out that one in {auc} of pairs ({7}; chance: 50 %). The most likely guess is not shown to be right more often than {3}."
	saysGain     = "The {2} reveal {gain} about {subject} (at least {gain.low}) that neither chance nor {4} explain. The most likely guess is not shown to be right more often than {3}."
)
