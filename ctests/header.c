/* The header needs nothing before it and may come twice. */
#include "diffsim.h"
#include "diffsim.h"

int main(void) { return ds_abi_version() == DS_ABI_VERSION ? 0 : 1; }
