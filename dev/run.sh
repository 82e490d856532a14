#!/bin/sh
# Runs a TypeScript file of the repository in this same process, under the Node that Carat needs:
#
#   sh dev/run.sh FILE [ARGUMENT...]
node=$(node dev/node/node.mjs) || exit
exec "$node" dev/bootstrap.mjs "$@"
