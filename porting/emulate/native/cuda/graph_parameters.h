// The runtime's structs of nodes, in the words of graphs.h and back.
#pragma once

#include <cuda_runtime_api.h>

#include "graphs.h"

namespace eclosion::cuda {

// Make the work of a node of what a program gives.
Status read(const cudaKernelNodeParams* params, emulator::Work* work);
Status read(const cudaMemcpy3DParms* params, emulator::Work* work);
Status read(const cudaMemsetParams* params, emulator::Work* work);
Status read(const cudaHostNodeParams* params, emulator::Work* work);

// What a program is given back. Kernel parameters are those of the node, valid
// as long as it is (cudaGraphKernelNodeGetParams, cuda_runtime_api.h).
cudaKernelNodeParams write(const KernelNode& node);
cudaMemcpy3DParms write(const CopyNode& node);
cudaMemsetParams write(const FillNode& node);
cudaHostNodeParams write(const HostNode& node);

Copy linear_copy(void* to, const void* from, std::size_t size,
                 cudaMemcpyKind kind);

}  // namespace eclosion::cuda
