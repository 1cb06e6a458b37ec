#include "cmd/program.h"

int main(int argc, char** argv) { return tidemark::cmd::RunProgram({argv + 1, argv + argc}); }
