package cli

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// checkValues returns an error for the first flag of the command line with a value that its tags
// do not allow. The tag `range` is an interval of numbers such as [1,100] or (0,1), whose upper
// end may be absent; the tag `choice` is a list of words.
func checkValues(k *kong.Context) error {
	for _, p := range k.Path {
		if p.Flag == nil {
			continue
		}
		allowed, words := p.Flag.Tag.Get("range"), p.Flag.Tag.Get("choice")
		for i, v := range valuesIn(p.Flag.Target) {
			switch {
			case allowed != "" && outside(allowed, v) != "":
				return usage(fmt.Errorf("--%s %v: must be %s", p.Flag.Name, v, outside(allowed, v)), "")
			case words == "":
			case !slices.Contains(strings.Split(words, ","), v.String()):
				return usage(fmt.Errorf("--%s %q: must be one of %s", p.Flag.Name, v, strings.ReplaceAll(words, ",", ", ")), "")
			case slices.ContainsFunc(valuesIn(p.Flag.Target)[:i], v.Equal):
				return usage(fmt.Errorf("--%s: %s is given twice", p.Flag.Name, v), "")
			}
		}
	}
	return nil
}

// valuesIn returns the values of a flag: those of a list, none of a nil pointer.
func valuesIn(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, valuesIn(v.Index(i))...)
		}
		return all
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return []reflect.Value{v}
}

// outside says what a number outside of an interval must be; "" if it is inside.
func outside(interval string, v reflect.Value) string {
	low, high, _ := strings.Cut(interval[1:len(interval)-1], ",")
	least, _ := strconv.ParseFloat(low, 64)
	most, err := strconv.ParseFloat(high, 64)
	if err != nil {
		most, high = math.MaxFloat64, ""
	}
	above, below := interval[0] == '(', interval[len(interval)-1] == ')' && high != ""
	x := v.Convert(reflect.TypeFor[float64]()).Float()
	switch {
	case (x > least || !above && x == least) && (x < most || !below && x == most):
		return ""
	case above && low == "0" && high == "":
		return "positive"
	case !above && !below && high != "":
		return fmt.Sprintf("between %s and %s", low, high)
	}
	said := map[bool]string{true: "above ", false: "at least "}[above] + low
	if high != "" {
		said += map[bool]string{true: " and below ", false: " and at most "}[below] + high
	}
	return said
}

// refused is an error of wrong usage if a condition holds, else nil.
func refused(when bool, hint, format string, a ...any) error {
	if !when {
		return nil
	}
	return usage(fmt.Errorf(format, a...), hint)
}

// requires is the error of a flag that is given without what it requires.
func requires(given bool, flag, required string) error {
	return refused(given, "", "%s requires %s", flag, required)
}

// given returns the names of the flags in a struct of flags that are not zero.
func given(flags any) (names []string) {
	v := reflect.ValueOf(flags)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous && !v.FieldByIndex(f.Index).IsZero() {
			names = append(names, cmp.Or(f.Tag.Get("name"), strings.TrimPrefix(flagOf(f.Name), "--")))
		}
	}
	return names
}
