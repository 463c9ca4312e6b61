# Finds the toolkit of a platform, and what a module of that platform has to
# know of it.

# Sets a variable to what `porting sysroot find` says of a platform's toolkit,
# as JSON: the one that is installed, else the one from package-index wheels.
# porting: the command. Further arguments: options of it.
function(eclosion_ask_toolkit platform result)
  execute_process(
    COMMAND ${porting} sysroot find --platform ${platform} --format json ${ARGN}
    OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    if(platform STREQUAL "rocm")
      set(advice " ECLOSION_ROCM=7.1 takes one from package-index wheels.")
    endif()
    message(FATAL_ERROR
      "ECLOSION_GPU=${ECLOSION_GPU} needs a toolkit for ${platform}, and "
      "there is none that will do; what porting says above tells how to get "
      "one.${advice}")
  endif()
  string(JSON home GET "${said}" path)
  string(JSON release GET "${said}" release)
  string(JSON note GET "${said}" note)
  if(NOT note STREQUAL "")
    string(PREPEND note " ")
  endif()
  message(STATUS "toolkit for ${platform}: ${release} at ${home}${note}")
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

# Tells of each environment variable that names a home (ARGN) and whose home is
# not the one that is used.
function(eclosion_tell_unused platform home)
  get_filename_component(used "${home}" REALPATH)
  foreach(variable IN LISTS ARGN)
    if(NOT "$ENV{${variable}}" STREQUAL "")
      get_filename_component(named "$ENV{${variable}}" REALPATH)
      if(NOT named STREQUAL used)
        message(WARNING
          "${variable}=$ENV{${variable}} is not used: it has no toolkit for "
          "${platform} that this build can take; set it to one, or unset it")
      endif()
    endif()
  endforeach()
endfunction()

# Sets a variable to the folder where a module looks for ROCm's libraries.
# `usual`: the link to the release in use, which stays where a folder with the
# release in its name goes with the next update. NOTE: what is generated in the
# home; such libraries compute nothing, so a module looks elsewhere.
function(eclosion_runpath home note usual result)
  get_filename_component(used "${home}" REALPATH)
  get_filename_component(linked "${usual}" REALPATH)
  get_filename_component(folder "${home}" ABSOLUTE)
  if(NOT note STREQUAL "")
    set(${result} "${usual}/lib" PARENT_SCOPE)
    return()
  endif()
  if(used STREQUAL linked)
    set(folder "${usual}")
  endif()
  if(EXISTS "${home}/lib/libamdhip64.so")
    set(${result} "${folder}/lib" PARENT_SCOPE)
  else()
    set(${result} "${folder}/lib64" PARENT_SCOPE)
  endif()
endfunction()

# Sets a variable to the folders of ECLOSION_RUNPATH, and another to the options
# by which the audit takes them as given: the machine that runs the module has
# ROCm's libraries there, this one need not.
function(eclosion_given_runpath result options)
  string(REGEX REPLACE "[:;]+" ";" folders "${ECLOSION_RUNPATH}")
  set(audit "")
  foreach(folder IN LISTS folders)
    if(NOT folder MATCHES "^(/|[$](ORIGIN|{ORIGIN})(/|$))")
      message(FATAL_ERROR
        "ECLOSION_RUNPATH has '${folder}', which is another folder wherever a "
        "user is; write an absolute one, or one from $ORIGIN on")
    endif()
    list(APPEND audit --runpath "${folder}")
  endforeach()
  set(${result} "${folders}" PARENT_SCOPE)
  set(${options} "${audit}" PARENT_SCOPE)
endfunction()
