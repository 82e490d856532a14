#!/bin/bash
# is-healthy.bash PORT
#
# Succeeds when http://127.0.0.1:PORT/healthz answers 200. The image has no curl, and a Node that asks costs much more.
exec 3<> "/dev/tcp/127.0.0.1/$1" || exit 1
printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
read -r _ status _ <&3
[ "$status" = 200 ]
