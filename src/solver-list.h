/* The door plates: name, title, space, on-line?, forgets?, paper. One line per solver. */
OSVM_SOLVER(norma, "NORMA", "both", 1, 0, "Kecman & Melki (2016), List 1")
OSVM_SOLVER(pegaz, "Pegaz", "both", 1, 0, "Kecman & Melki (2016), List 2")
OSVM_SOLVER(olsvm, "OL SVM", "both", 1, 0, "Kecman & Melki (2016), Lists 3a and 3b")
OSVM_SOLVER(sgd, "SGD", "linear", 1, 0, "Huang (2018), Algorithm 1")
OSVM_SOLVER(pegasos, "Pegasos", "linear", 1, 0, "Bagnell (2010), Algorithm 1")
OSVM_SOLVER(smo, "SMO", "both", 1, 0, "Huang (2018), Algorithm 2; Fan, Chen & Lin (2005)")
