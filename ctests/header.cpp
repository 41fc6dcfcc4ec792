// The headers need nothing before them and may come twice; their contents have C linkage.
#include "diffsim_control.h"
#include "diffsim_control.h"
#include "diffsim_ik.h"
#include "diffsim_ik.h"
#include "diffsim_record.h"
#include "diffsim_record.h"
#include "diffsim_save.h"
#include "diffsim_save.h"
#include "diffsim_visuals.h"
#include "diffsim_visuals.h"
#include "diffsim.h"
#include "diffsim.h"

int main() {
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    const ds_status status = ds_sim_create(nullptr, &options, nullptr);
    return status == DS_ERR_INVALID_ARGUMENT && ds_abi_version() == DS_ABI_VERSION ? 0 : 1;
}
