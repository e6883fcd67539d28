package cli

// labelledSets are the data of paper B's experiments and their like, which `train`
// reads and nobody fetches: what they are, on what terms, and what train expects.
var labelledSets = []struct{ name, about string }{
	{"utkface", `utkface: UTKFace, aligned and cropped
  pictures   23,708 faces; the 23,705 whose names say all three attributes are used
  terms      for research only, not commercial; the pictures belong to their owners
  cite       Z. Zhang, Y. Song and H. Qi, Age progression/regression by conditional adversarial autoencoder, CVPR (2017)
  home       the UTKFace project of its authors; the part called "Aligned & Cropped Faces"
  expected   a folder or zip of age_gender_race_date.jpg
  columns    age, gender (Male, Female), race (White, Black, Asian, Indian, Others)
  shortcuts  age2 to age5 and race2 to race5: the classes of paper B's Tables 10 and 11
  split      paper B's own: 80 % training, a tenth of which validates, 20 % test`},
	{"celeba", `celeba: CelebA, aligned and cropped
  pictures   202,599 faces; the 115 thousand with exactly one of black, blond and brown hair are used, as in paper B
  terms      for non-commercial research only
  cite       Z. Liu, P. Luo, X. Wang and X. Tang, Deep learning face attributes in the wild, ICCV (2015)
  home       the CelebA project of the Multimedia Laboratory, The Chinese University of Hong Kong
  expected   a folder with list_attr_celeba.txt, list_eval_partition.txt and the pictures in img_align_celeba, as a folder or a zip
  columns    the 40 attributes (0, 1) under their names, as Male, Smiling, Mouth_Slightly_Open; HairColor (black, blond, brown)
  split      the official one`},
	{"fairface", `fairface: FairFace
  pictures   97,698 faces (86,744 training, 10,954 validation, which tests), balanced by race
  terms      CC BY 4.0
  cite       K. Kärkkäinen and J. Joo, FairFace: face attribute dataset for balanced race, gender and age, WACV (2021)
  home       the FairFace project of its authors
  expected   a folder or zip with train/, val/ and labels.csv, or fairface_label_train.csv and fairface_label_val.csv
  columns    age (0-2, 3-9, 10-19, … 60-69, "more than 70"), gender (Male, Female), race (seven)
  split      train trains, and a tenth of it validates; val tests`},
	{"adult", `adult: UCI Adult, census income
  rows       32,561 training, 16,281 test
  terms      CC BY 4.0
  cite       B. Becker and R. Kohavi, Adult, UCI Machine Learning Repository (1996)
  home       the UCI Machine Learning Repository
  expected   a folder with adult.data and adult.test
  columns    age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race, sex, capital-gain, capital-loss, hours-per-week, native-country, income
  target     income, unless --target says another
  split      its own, and a tenth of the training part validates`},
	{"images", `images: any folder or zip of pictures with a CSV of labels
  expected   JPEG or PNG pictures, and labels.csv among them (or --labels FILE): a row a picture, a column of file names (file, filename, path, image or the first; or --file-column NAME), a column an attribute
  split      folders train, val and test, or a column split; without them 80 % training, a tenth of which validates, and 20 % test, drawn by --seed`},
	{"table", `table: any CSV
  expected   a CSV file with a header; numbers are standardised, other columns one-hot; the target and sensitive columns are no inputs
  split      80 % training, a tenth of which validates, and 20 % test, drawn by --seed`},
}

// about describes data that nobody fetches; empty if the name is of none.
func about(name string) string {
	for _, s := range labelledSets {
		if s.name == name {
			return s.about + "\n  train      tattle train " + name + " --data PATH --sensitive RULE"
		}
	}
	return ""
}

// aboutNames are the names of these data.
func aboutNames() []string {
	var names []string
	for _, s := range labelledSets {
		names = append(names, s.name)
	}
	return names
}
