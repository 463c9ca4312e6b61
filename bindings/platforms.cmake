# Builds the GPU module of each platform in ECLOSION_GPU from bindings/gpu.
#
# CUDA: bindings/gpu as it is. ROCm: what `porting` makes of it, in the build
# tree. Each is a project of its own, since a project has one GPU compiler. A
# module that `porting link audit` finds fault with fails the build.
include(ExternalProject)
include("${CMAKE_CURRENT_LIST_DIR}/toolkits.cmake")

set(ECLOSION_ROCM "" CACHE STRING
    "ROCm release that runtime._gpu_rocm is for; empty: the one that is installed")
set(ECLOSION_ROCM_ARCHS "gfx90a;gfx942;gfx1100" CACHE STRING
    "AMD GPU architectures with device code")
set(ECLOSION_CUDA_ARCHS "80;90" CACHE STRING
    "NVIDIA GPU architectures with device code")
set(ECLOSION_RUNPATH "" CACHE STRING
    "Folders where runtime._gpu_rocm looks for ROCm's libraries; empty: where they are")
option(ECLOSION_SHARED_RUNTIME "Link cudart as a shared library (tests)" OFF)

# Patterns of files hold these folders, and a colon ends an entry of PYTHONPATH.
foreach(folder IN ITEMS "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  if(folder MATCHES "[][*?:]")
    message(FATAL_ERROR
      "GPU modules cannot be built in ${folder}: its name has one of [ ] * ? :, "
      "which the build would take for more than a name; use another folder")
  endif()
endforeach()

# What the runtime needs; runtime/devices/rocm.py refuses older ones too.
set(oldest_rocm "7.0")
set(gpu_source "${PROJECT_SOURCE_DIR}/bindings/gpu")
# The checkout's own `porting`, also where another one is installed. An isolated
# build has its packages on PYTHONPATH.
set(python_path "${PROJECT_SOURCE_DIR}")
if(NOT "$ENV{PYTHONPATH}" STREQUAL "")
  string(APPEND python_path ":$ENV{PYTHONPATH}")
endif()
set(porting "${CMAKE_COMMAND}" -E env "PYTHONPATH=${python_path}"
    "${Python_EXECUTABLE}" -m porting)

# Sets a variable to the parts of a list of architectures, separated by
# semicolons, commas or spaces. PATTERN: what each has to be.
function(eclosion_architectures name pattern result)
  string(REGEX REPLACE "[, ;]+" ";" archs "${${name}}")
  string(REGEX REPLACE "^;|;$" "" archs "${archs}")
  if(archs STREQUAL "")
    message(FATAL_ERROR "${name} is empty; name an architecture or more")
  endif()
  foreach(arch IN LISTS archs)
    if(NOT arch MATCHES "^${pattern}$")
      message(FATAL_ERROR
        "${name} has '${arch}', which is no architecture; write it like those "
        "of the default")
    endif()
  endforeach()
  set(${result} "${archs}" PARENT_SCOPE)
endfunction()

# Adds the target of a platform's module. SOURCE: the project to build.
# DLPACK: DLPack's number of its devices (dlpack.h, DLDeviceType).
# AUDIT: options of the audit. CACHE: what else the project is configured with.
function(eclosion_add_gpu platform)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;DLPACK" "AUDIT;CACHE;DEPENDS")
  set(module _gpu_${platform})
  set(build "${PROJECT_BINARY_DIR}/gpu/${platform}/build")
  ExternalProject_Add(${module}
    SOURCE_DIR "${arg_SOURCE}"
    BINARY_DIR "${build}"
    PREFIX "${PROJECT_BINARY_DIR}/gpu/${platform}/steps"
    DEPENDS ${arg_DEPENDS}
    DOWNLOAD_COMMAND ""
    UPDATE_COMMAND ""
    INSTALL_COMMAND ""
    BUILD_ALWAYS ON
    CMAKE_CACHE_ARGS
      -DCMAKE_BUILD_TYPE:STRING=${CMAKE_BUILD_TYPE}
      -DPython_EXECUTABLE:FILEPATH=${Python_EXECUTABLE}
      -DPython_INCLUDE_DIR:PATH=${Python_INCLUDE_DIRS}
      -Dnanobind_DIR:PATH=${nanobind_DIR}
      -DECLOSION_MODULE:STRING=${module}
      -DECLOSION_CORE_DIR:PATH=${PROJECT_SOURCE_DIR}/bindings/core
      -DECLOSION_DLPACK_DEVICE:STRING=${arg_DLPACK}
      ${arg_CACHE})
  ExternalProject_Add_Step(${module} audit
    COMMENT "Auditing ${module}"
    COMMAND ${porting} link audit --platform ${platform} ${arg_AUDIT} "${build}/module"
    DEPENDEES build
    ALWAYS ON)
  install(DIRECTORY "${build}/module/" DESTINATION runtime
    FILES_MATCHING PATTERN "${module}*")
endfunction()

function(eclosion_add_cuda)
  eclosion_ask_toolkit(cuda toolkit)
  string(JSON home GET "${toolkit}" path)
  eclosion_tell_unused(cuda "${home}" CUDA_HOME CUDA_PATH)
  eclosion_architectures(ECLOSION_CUDA_ARCHS "[0-9]+[af]?" archs)
  list(TRANSFORM archs PREPEND "sm_" OUTPUT_VARIABLE audited)
  list(JOIN audited "," audited)
  eclosion_add_gpu(cuda
    SOURCE "${gpu_source}"
    DLPACK 2
    AUDIT --arch ${audited}
    CACHE
      -DCMAKE_CUDA_COMPILER:FILEPATH=${home}/bin/nvcc
      -DCUDAToolkit_ROOT:PATH=${home}
      -DCMAKE_CUDA_ARCHITECTURES:STRING=${archs}
      -DECLOSION_SHARED_RUNTIME:BOOL=${ECLOSION_SHARED_RUNTIME})
endfunction()

function(eclosion_add_rocm)
  set(options --oldest ${oldest_rocm})
  if(NOT ECLOSION_ROCM STREQUAL "")
    list(APPEND options --rocm ${ECLOSION_ROCM})
  endif()
  eclosion_ask_toolkit(rocm toolkit ${options})
  string(JSON home GET "${toolkit}" path)
  string(JSON release GET "${toolkit}" release)
  string(JSON note GET "${toolkit}" note)
  eclosion_tell_unused(rocm "${home}" ROCM_PATH ROCM_HOME)
  eclosion_given_runpath(runpath given)
  if(runpath STREQUAL "")
    eclosion_runpath("${home}" "${note}" "/opt/rocm" runpath)
  endif()
  eclosion_architectures(ECLOSION_ROCM_ARCHS "gfx[0-9a-f]+" listed_archs)
  list(JOIN listed_archs "," archs)
  set(work "${PROJECT_BINARY_DIR}/gpu/rocm")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${gpu_source}/*")
  file(GLOB_RECURSE tool CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/porting/*.py" "${PROJECT_SOURCE_DIR}/porting/*.tsv")
  # A file that is gone is no dependency that is newer, nor is another release:
  # the list itself is one.
  list(JOIN sources "\n" listed)
  string(APPEND listed "\nROCm ${release} ${archs}")
  file(CONFIGURE OUTPUT "${work}/sources.txt" CONTENT "${listed}\n" @ONLY)
  add_custom_command(
    OUTPUT "${work}/ported.stamp"
    COMMENT "Porting bindings/gpu to ROCm ${release}"
    COMMAND ${porting} port "${gpu_source}" -o "${work}/ported" --force
      --no-verify --rocm ${release} --arch ${archs}
    # Only what differs is copied, so that only what depends on it is built.
    COMMAND "${CMAKE_COMMAND}" "-DFROM=${work}/ported" "-DTO=${work}/source"
      -P "${PROJECT_SOURCE_DIR}/bindings/copy_changed.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${work}/ported.stamp"
    DEPENDS ${sources} ${tool} "${work}/sources.txt"
      "${PROJECT_SOURCE_DIR}/bindings/copy_changed.cmake"
    VERBATIM)
  add_custom_target(ported_gpu DEPENDS "${work}/ported.stamp")
  eclosion_add_gpu(rocm
    SOURCE "${work}/source"
    DLPACK 10
    DEPENDS ported_gpu
    AUDIT --rocm ${release} --arch ${archs} ${given}
    CACHE
      -DCMAKE_HIP_COMPILER:FILEPATH=${home}/llvm/bin/clang++
      -DCMAKE_HIP_COMPILER_ROCM_ROOT:PATH=${home}
      -DCMAKE_PREFIX_PATH:PATH=${home}
      -DCMAKE_HIP_ARCHITECTURES:STRING=${listed_archs}
      -DECLOSION_RUNPATH:STRING=${runpath})
endfunction()

foreach(platform IN LISTS ECLOSION_GPU)
  cmake_language(CALL eclosion_add_${platform})
endforeach()
