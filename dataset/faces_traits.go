package dataset

import "strings"

// person is what a UTKFace name says.
type person struct{ age, gender, race int }

// ageBands are drawn from alike, so that every class of B's Table 10 has faces.
var ageBands = [][2]int{{1, 19}, {20, 26}, {27, 34}, {35, 49}, {50, 90}}

// looks are the tones and features by which the drawn faces of each UTKFace race differ. Their
// ranges overlap.
var looks = [5]struct {
	skin, hair rgb
	narrow     float64 // share with narrow eyes
}{
	{rgb{.95, .80, .72}, rgb{.62, .45, .22}, .1},
	{rgb{.40, .26, .18}, rgb{.08, .06, .06}, .1},
	{rgb{.93, .80, .58}, rgb{.08, .06, .06}, .9},
	{rgb{.68, .47, .30}, rgb{.14, .09, .06}, .1},
	{rgb{.80, .62, .50}, rgb{.35, .20, .12}, .4},
}

var greyHair = rgb{.75, .75, .74}

func drawPerson(d draws) person {
	band := ageBands[d.below(len(ageBands))]
	return person{
		age:    band[0] + d.below(band[1]-band[0]+1),
		gender: d.below(2), race: d.below(len(looks)),
	}
}

// face draws what is not said of a person.
func (p person) face(d draws) *face {
	look := looks[p.race]
	old := float64(p.age) / 90
	f := &face{age: old, wavy: d.chance(.4), mouthOpen: d.chance(.5), smiling: d.chance(.5)}
	f.skin = look.skin.scale(d.between(.92, 1.08))
	f.hair = look.hair.scale(d.between(.8, 1.2)).mix(greyHair, min(max(2*old-.7, 0), 1))
	f.narrowEyes = d.chance(look.narrow)
	f.glasses = d.chance(.3 * old)
	woman := p.gender == 1
	f.wide = !woman && p.age > 12
	f.longHair = d.chance(map[bool]float64{true: .85, false: .08}[woman])
	f.makeup = woman && p.age > 15 && d.chance(.6)
	f.lipstick = woman && p.age > 15 && d.chance(.7)
	if !woman && p.age > 17 && d.chance(.5) {
		f.beard = d.between(.3, 1)
	}
	f.bald = !woman && d.chance(max(0, old-.35))
	return f
}

// celebaNames are CelebA's attributes, in the order of its list.
var celebaNames = strings.Fields(`5_o_Clock_Shadow Arched_Eyebrows Attractive
	Bags_Under_Eyes Bald Bangs Big_Lips Big_Nose Black_Hair Blond_Hair Blurry
	Brown_Hair Bushy_Eyebrows Chubby Double_Chin Eyeglasses Goatee Gray_Hair
	Heavy_Makeup High_Cheekbones Male Mouth_Slightly_Open Mustache Narrow_Eyes
	No_Beard Oval_Face Pale_Skin Pointy_Nose Receding_Hairline Rosy_Cheeks
	Sideburns Smiling Straight_Hair Wavy_Hair Wearing_Earrings Wearing_Hat
	Wearing_Lipstick Wearing_Necklace Wearing_Necktie Young`)

// traits are the CelebA attributes that a face has.
type traits map[string]bool

// drawTraits draws attributes; those that a drawing does not show follow from
// those that it does.
func drawTraits(d draws) traits {
	t := traits{}
	male, young := d.chance(.5), d.chance(.5)
	t["Male"], t["Young"] = male, young
	for _, a := range []struct {
		name string
		p    float64
	}{
		{"Smiling", .5}, {"Mouth_Slightly_Open", .5}, {"Bangs", .2}, {"Big_Lips", .3},
		{"Big_Nose", .3}, {"Bushy_Eyebrows", .3}, {"Narrow_Eyes", .2}, {"Chubby", .2},
		{"Pale_Skin", .2}, {"Rosy_Cheeks", .1}, {"Eyeglasses", .1}, {"Wearing_Hat", .05}, {"Blurry", .05},
	} {
		t[a.name] = d.chance(a.p)
	}
	t.groom(male, d)
	t.colour(young, d)
	t["Arched_Eyebrows"] = !t["Bushy_Eyebrows"]
	t["Attractive"] = young && (t["Smiling"] || t["Heavy_Makeup"])
	t["Bags_Under_Eyes"] = !young && d.chance(.5)
	t["Double_Chin"] = t["Chubby"] && !young
	t["High_Cheekbones"] = t["Smiling"] != d.chance(.15)
	t["Oval_Face"], t["Pointy_Nose"] = !t["Chubby"], !t["Big_Nose"]
	return t
}

// groom draws beard, make-up and what is worn.
func (t traits) groom(male bool, d draws) {
	beard := male && d.chance(.5)
	t["No_Beard"] = !beard
	t["5_o_Clock_Shadow"] = beard && d.chance(.4)
	t["Goatee"], t["Sideburns"] = beard && d.chance(.5), beard && d.chance(.5)
	t["Mustache"] = beard && d.chance(.5)
	t["Heavy_Makeup"] = !male && d.chance(.7)
	t["Wearing_Lipstick"] = t["Heavy_Makeup"] && d.chance(.9) || !male && d.chance(.3)
	t["Wearing_Earrings"] = !male && d.chance(.4)
	t["Wearing_Necklace"] = !male && d.chance(.3)
	t["Wearing_Necktie"] = male && d.chance(.3)
}

// colour draws the hair: one colour of B's three for most, none or two for some.
func (t traits) colour(young bool, d draws) {
	three := []string{"Black_Hair", "Blond_Hair", "Brown_Hair"}
	k := d.below(3)
	switch {
	case d.chance(.05):
		t["Black_Hair"], t["Brown_Hair"] = true, true
	case t["Male"] && !young && d.chance(.2):
		t["Bald"] = true
	case !young && d.chance(.2):
		t["Gray_Hair"] = true
	default:
		t[three[k]] = true
	}
	t["Receding_Hairline"] = t["Bald"] || !young && d.chance(.1)
	t["Wavy_Hair"] = !t["Bald"] && d.chance(.5)
	t["Straight_Hair"] = !t["Bald"] && !t["Wavy_Hair"]
}

// row writes the attributes as CelebA's list does: 1 or −1.
func (t traits) row() string {
	var b strings.Builder
	for _, name := range celebaNames {
		b.WriteString(map[bool]string{true: "  1", false: " -1"}[t[name]])
	}
	return b.String()
}

// hairOf returns the colour that the attributes say, or sand where none does.
func (t traits) hairOf() rgb {
	black, blond, brown := rgb{.07, .06, .06}, rgb{.90, .77, .42}, rgb{.42, .25, .13}
	switch {
	case t["Gray_Hair"]:
		return greyHair
	case t["Black_Hair"] && t["Brown_Hair"]:
		return black.mix(brown, .5)
	case t["Black_Hair"]:
		return black
	case t["Brown_Hair"]:
		return brown
	case t["Blond_Hair"]:
		return blond
	}
	return rgb{.60, .52, .42}
}

// face draws what the attributes do not say.
func (t traits) face(d draws) *face {
	skin := rgb{.88, .68, .55}.scale(d.between(.75, 1.05))
	if t["Pale_Skin"] {
		skin = rgb{.98, .89, .84}
	}
	f := &face{
		skin: skin, hair: t.hairOf().scale(d.between(.85, 1.15)), age: d.between(.15, .4),
		longHair: !t["Male"], bald: t["Bald"], wavy: t["Wavy_Hair"], bangs: t["Bangs"],
		mustache: t["Mustache"], mouthOpen: t["Mouth_Slightly_Open"], smiling: t["Smiling"],
		makeup: t["Heavy_Makeup"], lipstick: t["Wearing_Lipstick"], rosy: t["Rosy_Cheeks"],
		bigLips: t["Big_Lips"], bigNose: t["Big_Nose"], bushyBrows: t["Bushy_Eyebrows"],
		narrowEyes: t["Narrow_Eyes"], wide: t["Male"] || t["Chubby"], glasses: t["Eyeglasses"],
		hat: t["Wearing_Hat"], earrings: t["Wearing_Earrings"], necktie: t["Wearing_Necktie"],
		necklace: t["Wearing_Necklace"], blurry: t["Blurry"],
	}
	if !t["Young"] {
		f.age = d.between(.6, 1)
	}
	if !t["No_Beard"] {
		f.beard = .85
		if t["5_o_Clock_Shadow"] {
			f.beard = .5
		}
	}
	return f
}
