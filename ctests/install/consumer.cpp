// The header of C in C++.
#include <diffsim.h>

int main() { return ds_abi_version() == DS_ABI_VERSION ? 0 : 1; }
