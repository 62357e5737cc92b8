/* What the glue needs of the core: data, kernels, solvers, runs and models, decision values, cells, tuning. */
#ifndef OSVM_H
#define OSVM_H

#include "cells.h"
#include "kernel-median.h"
#include "run-live.h"
#include "sv-predict.h"
#include "sv-shapley.h"
#include "tune.h"

#endif
