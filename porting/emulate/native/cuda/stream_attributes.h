// Attributes that programs set on streams: hints, which come back as they are.
#pragma once

#include <cuda.h>

#include "statuses.h"

namespace eclosion::cuda {

// The numbers and the union of the runtime are the same (driver_types.h).
Status set_stream_attribute(CUstream stream, CUstreamAttrID attribute,
                            const CUstreamAttrValue* value);
Status get_stream_attribute(CUstream stream, CUstreamAttrID attribute,
                            CUstreamAttrValue* value);
Status copy_stream_attributes(CUstream to, CUstream from);

}  // namespace eclosion::cuda
