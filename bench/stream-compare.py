"""Row by row: predict, then partial_fit. Reads a csv of features and the label, writes a json of results."""
import json
import sys
import time

import numpy
from sklearn.linear_model import PassiveAggressiveClassifier, Perceptron, SGDClassifier

table = numpy.loadtxt(sys.argv[1], delimiter=",")
x, y = table[:, :-1], table[:, -1].astype(int)
classes = numpy.unique(y)
models = {
    "scikit-learn, PassiveAggressiveClassifier": PassiveAggressiveClassifier(C=1.0, random_state=1),
    "scikit-learn, SGDClassifier": SGDClassifier(random_state=1),
    "scikit-learn, Perceptron": Perceptron(random_state=1),
}
results = []
for name, model in models.items():
    hits = 0
    start = time.process_time()
    model.partial_fit(x[:1], y[:1], classes=classes)
    for i in range(1, len(y)):
        row = x[i : i + 1]
        hits += int(model.predict(row)[0] == y[i])
        model.partial_fit(row, y[i : i + 1])
    seconds = time.process_time() - start
    results.append({"model": name, "accuracy": hits / (len(y) - 1), "rows": len(y) / seconds})
json.dump(results, open(sys.argv[2], "w"))
