#!/bin/sh
# Runs a TypeScript file of the repository in this same process, under the Node that Carat needs:
#
#   sh tools/run.sh FILE [ARGUMENT...]
node=$(node tools/node/node.mjs) || exit
exec "$node" tools/bootstrap.mjs "$@"
