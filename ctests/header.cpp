// The header needs nothing before it and may come twice; its contents have C linkage.
#include "diffsim.h"
#include "diffsim.h"

int main() {
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    const ds_status status = ds_sim_create(nullptr, &options, nullptr);
    return status == DS_ERR_INVALID_ARGUMENT && ds_abi_version() == DS_ABI_VERSION ? 0 : 1;
}
