package report

import "tattle/audit"

// An Outcome is what a run came to, for programs. Of an audit it is the audit's verdict.
type Outcome string

// The outcomes of runs that are no audits.
const (
	Bounded      Outcome = "bounded"    // an error of unbiased reconstructions is certified
	Unbounded    Outcome = "unbounded"  // the certified error has no useful limit
	Vacuous      Outcome = "vacuous"    // what is certified says nothing
	Named        Outcome = "identified" // an adversary with a list of candidates identifies most inputs
	Uncertified  Outcome = "nothing is certified"
	Met          Outcome = "met" // a target
	NotMet       Outcome = "not met"
	Demonstrated Outcome = "excess demonstrated" // an attack on outputs is shown to exceed its baseline
	NoExcess     Outcome = "no excess demonstrated"
	Done         Outcome = "done"       // trained, distilled, pruned or reproduced
	Unfinished   Outcome = "unfinished" // interrupted, or some of its work failed
)

// metOrNot is the outcome of a run with a target.
func metOrNot(met bool) Outcome {
	if met {
		return Met
	}
	return NotMet
}

// A Tone says whether an outcome asks for attention.
type Tone string

// The tones.
const (
	Calm Tone = "calm"
	Good Tone = "good"
	Warn Tone = "warn"
	Bad  Tone = "bad"
)

var tones = map[Outcome]Tone{
	Met: Good, Outcome(audit.NoEvidence): Good,
	Demonstrated: Warn, Unfinished: Warn, Outcome(audit.Leaky): Warn,
	Vacuous: Bad, Named: Bad, Outcome(audit.Curious): Bad, Outcome(audit.LeakyBeyond): Bad,
}

// Tone returns the tone of an outcome, Calm where it asks for nothing.
func (o Outcome) Tone() Tone {
	if t, ok := tones[o]; ok {
		return t
	}
	return Calm
}
