package curious

// Save writes F as model.onnx and G as attack.onnx, or attack-NAME.onnx for each of
// several attributes, into a folder, which it makes where there is none. How they
// were trained stands in their metadata, under tattle.attack, tattle.beta and so on.
func Save(dir string, r *Result) error { panic("curious: Save is being written") }

// Open reads what Save wrote. Of the epochs only Best is known.
func Open(dir string) (*Result, error) { panic("curious: Open is being written") }

// ReadAttack reads one attack.
func ReadAttack(path string) (*Attack, error) { panic("curious: ReadAttack is being written") }
