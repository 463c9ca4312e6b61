# Run PROGRAM, which is to fail with a message that REPORT matches.
execute_process(COMMAND ${PROGRAM}
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text TIMEOUT 50)
if(status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended well, so its fault was not caught")
endif()
if(NOT text MATCHES "${REPORT}")
  message(FATAL_ERROR
    "${PROGRAM} ended with ${status}, but not with \"${REPORT}\":\n${text}")
endif()
