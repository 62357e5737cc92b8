/* The kernels, in the order of their help page. */
OSVM_KERNEL(linear)
OSVM_KERNEL(polynomial)
OSVM_KERNEL(rbf)
OSVM_KERNEL(laplacian)
OSVM_KERNEL(sigmoid)
