/* The losses, in the order of losses(). */
OSVM_LOSS(hinge)
OSVM_LOSS(epsilon)
OSVM_LOSS(quantile)
OSVM_LOSS(novelty)
