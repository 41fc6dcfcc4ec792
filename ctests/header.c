/* The headers need nothing before them and may come twice. */
#include "diffsim.h"
#include "diffsim.h"
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

int main(void) { return ds_abi_version() == DS_ABI_VERSION ? 0 : 1; }
