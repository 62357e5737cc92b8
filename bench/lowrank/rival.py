# scikit-learn's side of bench/lowrank.R: a map at a given rank, then a linear machine. Prints the processor seconds of
# the map, of the machine and of predictions, the test error in per cent, and the BLAS.
#   python3 rival.py FOLDER GAMMA RANK C MAP MACHINE
#   FOLDER has train.bin, test.bin (doubles, row by row) and their labels
import sys
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_info

folder, gamma, rank, cost = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
y = np.fromfile(folder + "/train.y", dtype=np.float64)
new_y = np.fromfile(folder + "/test.y", dtype=np.float64)
x = np.fromfile(folder + "/train.bin", dtype=np.float64).reshape(len(y), -1)
new_x = np.fromfile(folder + "/test.bin", dtype=np.float64).reshape(len(new_y), -1)

transform = {"Nystroem": Nystroem, "RBFSampler": RBFSampler}[sys.argv[5]](
    gamma=gamma, n_components=rank, random_state=1)
machine = {
    "LinearSVC": LinearSVC(loss="hinge", C=cost, random_state=1),
    "SGDClassifier": SGDClassifier(alpha=1 / (cost * len(y)), random_state=1),
}[sys.argv[6]]
times = [time.process_time()]
features = transform.fit_transform(x)
times.append(time.process_time())
machine.fit(features, y)
times.append(time.process_time())
predicted = machine.predict(transform.transform(new_x))
times.append(time.process_time())
blas = [pool["internal_api"] for pool in threadpool_info() if pool["user_api"] == "blas"]
print(*np.diff(times), 100 * np.mean(predicted != new_y), blas[0] if blas else "reference", flush=True)
