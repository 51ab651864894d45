# Installs BUILD into a prefix of its own, builds EXAMPLE against it, runs its PROGRAM and compares what it prints.
set(scratch ${BUILD}/install-test/${PROGRAM})
file(REMOVE_RECURSE ${scratch})

macro(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}${errors}")
    endif()
endmacro()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${scratch}/build -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
    -D CMAKE_CXX_COMPILER=${COMPILER} -D "CMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${scratch}/build)
file(MAKE_DIRECTORY ${scratch}/run)
run(${CMAKE_COMMAND} -E chdir ${scratch}/run ${scratch}/build/${PROGRAM})

file(READ ${EXAMPLE}/expected-output.txt expected)
if(NOT output STREQUAL expected)
    message(FATAL_ERROR "the example printed\n${output}\nexpected\n${expected}")
endif()
