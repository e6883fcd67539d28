package report

// promiseLead is the verdict on a promise. It is good only where the promise is kept and no
// adversary identifies the input or recognises its class.
func (r *Report) promiseLead() verdictBlock {
	x := r.Promise
	v := verdictBlock{Badge: "Promise not kept", Tone: Bad, Says: r.promiseHeadline(), Tiles: r.promiseTiles()}
	if x.Met {
		v.Badge, v.Tone = "Promise kept", Good
	}
	harm, tone := r.harm()
	if words := r.recognisedWords(); words != "" {
		v.Says += " " + words
	}
	if x.Met && harm != "" && !(tone == Warn && x.Limits.Identify > 0 && harm != "Class recognised") {
		v.Tone = tone
	}
	if _, share := r.recognised(); x.Met && v.Tone == Good && share >= recognisedMostly {
		v.Tone = Warn // the promise is about inputs, and an attack recovers their class
	}
	return v
}
