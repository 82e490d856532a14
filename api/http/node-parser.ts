/**
 * The only private part of Node that Carat touches: `socket.parser.onIncoming` of a server's socket (lib/_http_common.js). No public
 * interface stops a parser amid the bytes that have arrived. `test/unit/node-parser.test.ts` fails where a version of Node lacks this
 * field or treats it otherwise.
 */
import type { Socket } from 'node:net';

type ParsedSocket = Socket & { readonly parser?: { onIncoming: () => number } | null };

/** The result of `onIncoming` for a request that upgrades to another protocol: the parser stops after its head. */
const UPGRADE = 2;

/**
 * Makes no more requests of the bytes that have arrived on a socket, not even of a chunk that is being parsed. Does nothing where
 * Node has already detached the parser.
 */
export const stopParsing = (socket: ParsedSocket): void => {
  if (socket.parser) socket.parser.onIncoming = () => UPGRADE;
};
