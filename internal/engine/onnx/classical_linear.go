package onnx

// second makes two scores of one: −x + first and x.
func (c *chain) second(first float64) *chain {
	return c.affine(2, []float64{-1, 1}, []float64{first, 0})
}

// linearClassifier is ONNX LinearClassifier-1.
func (r *nodeReader) linearClassifier() {
	c, _ := r.table()
	bias := r.numbers("intercepts")
	malformedIf(len(bias) == 0, "attribute \"intercepts\" is missing")
	k := r.classes(0)
	n := len(bias)
	malformedIf(n != len(k.codes) && (n != 1 || len(k.codes) != 2), "has %d intercepts for %d classes", n, len(k.codes))
	c = c.affine(len(bias), r.numbers("coefficients"), bias)
	r.label(c, k, 0)
	how := r.postTransform()
	if len(bias) > 1 {
		r.scores(c.transform(how), k)
		return
	}
	r.scores(c.both(how), k)
}

// both makes the scores of two classes from that of the second.
func (c *chain) both(how string) *chain {
	switch how {
	case "LOGISTIC":
		return c.second(0).transform(how)
	case "PROBIT":
		panic(unsupportedf("post_transform PROBIT of a single score"))
	}
	return c.second(1)
}

// linearRegressor is ONNX LinearRegressor-1.
func (r *nodeReader) linearRegressor() {
	c, _ := r.table()
	targets := r.count("targets")
	c = c.affine(targets, r.numbers("coefficients"), r.numbers("intercepts"))
	how := r.postTransform()
	if targets == 1 && how != "PROBIT" {
		how = "NONE" // ONNX Runtime applies no other to a single score
	}
	r.answer(c.transform(how), 0, targets)
}
