# cmake -D SOURCE=DIR -D OUTPUT=FILE -P source_revision.cmake: writes a C++ file with a digest of the sources of the program,
# so that results can say which ones they come from, whether or not there is a repository.
set(digests "")
foreach(folder models traces sim apps)
    file(GLOB_RECURSE sources RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.cpp)
    foreach(source ${sources})
        file(SHA256 ${SOURCE}/${source} digest)
        string(APPEND digests "${digest} ${source}\n")
    endforeach()
endforeach()
string(SHA256 revision "${digests}")
string(SUBSTRING ${revision} 0 12 revision)
file(WRITE ${OUTPUT} "namespace nestwalk {\nextern const char* const kSourceRevision;\n"
                     "const char* const kSourceRevision = \"${revision}\";\n}  // namespace nestwalk\n")
