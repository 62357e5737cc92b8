# scikit-learn's side of bench/lowrank.R: a map at a given rank, then a linear machine; processor seconds, test error.
#   python3 rival.py FOLDER GAMMA RANK C    FOLDER has train.bin, test.bin (doubles, row by row) and their labels
import sys
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDClassifier

folder, gamma, rank, cost = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
y = np.fromfile(folder + "/train.y", dtype=np.float64)
new_y = np.fromfile(folder + "/test.y", dtype=np.float64)
x = np.fromfile(folder + "/train.bin", dtype=np.float64).reshape(len(y), -1)
new_x = np.fromfile(folder + "/test.bin", dtype=np.float64).reshape(len(new_y), -1)


def run(name, transform, machine):
    began = time.process_time()
    features = transform.fit_transform(x)
    machine.fit(features, y)
    seconds = time.process_time() - began
    print(name, seconds, 100 * np.mean(machine.predict(transform.transform(new_x)) != new_y), flush=True)


run("Nystroem+SGDClassifier", Nystroem(gamma=gamma, n_components=rank, random_state=1),
    SGDClassifier(alpha=1 / (cost * len(y)), random_state=1))
run("RBFSampler+SGDClassifier", RBFSampler(gamma=gamma, n_components=rank, random_state=1),
    SGDClassifier(alpha=1 / (cost * len(y)), random_state=1))
