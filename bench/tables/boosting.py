# Gradient boosting by scikit-learn with its defaults: boosting.py FOLDER. For each NAME.csv in FOLDER (first line: the
# number of rows to learn, whether y are classes, and which columns are codes of levels; then y and x, missing values
# empty), NAME.out gets the processor seconds of fit and prediction, and a line per row to predict.
import csv
import glob
import sys
import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

for path in sorted(glob.glob(sys.argv[1] + "/*.csv")):
    with open(path) as file:
        learned, classes, *coded = [int(v) for v in next(csv.reader(file))]
        table = np.genfromtxt(file, delimiter=",")
    y, x = table[:, 0], table[:, 1:]
    model = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    start = time.process_time()
    fit = model(random_state=1, categorical_features=np.array(coded, dtype=bool)).fit(x[:learned], y[:learned])
    predicted = fit.predict(x[learned:])
    seconds = time.process_time() - start
    with open(path[:-4] + ".out", "w") as file:
        file.writelines(f"{float(v)!r}\n" for v in [seconds, *predicted])
