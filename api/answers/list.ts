import { setImmediate as turn } from 'node:timers/promises';
import type { Response } from 'express';
import { createGate } from '../limits/gate.ts';
import type { ListBody } from '../request/page.ts';
import { paced, SLICE, taken } from './stream.ts';

/** Parts of lists that a process holds at once, across all callers. Each list holds one at most. */
const PARTS_AT_ONCE = 16;

const gate = createGate(PARTS_AT_ONCE);

/** Renders items as JSON; each item has a leading comma, except the first of the list. */
const render = async (items: readonly unknown[], isFirst: boolean): Promise<string> => {
  let text = '';
  let rendered = 0;
  for (const [index, item] of items.entries()) {
    text += (isFirst && index === 0 ? '' : ',') + JSON.stringify(item);
    if (text.length - rendered < SLICE) continue;
    rendered = text.length;
    await turn();
  }
  return text;
};

/**
 * Sends a list as fast as the client reads and the node's pace allows, and stops reading rows once the client is gone.
 * A list of one part has a `Content-Length`. A longer list is chunked, and an error midway closes the connection before
 * the end of the body.
 */
export const sendList = async (response: Response, { parts, end }: ListBody<unknown>, node: string): Promise<void> => {
  let text = '{"items":[';
  let length = 0;
  const next = (isFirst: boolean): Promise<string | null> =>
    gate(async () => {
      const part = await parts.next(length);
      return part.done === true ? null : render(part.value, isFirst);
    });
  try {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    for (let part = await next(true), isFirst = true; part !== null; part = await next(false), isFirst = false) {
      await paced(response, node, part);
      if (response.destroyed) return;
      if (!isFirst && !response.write(text)) await taken(response);
      text = isFirst ? text + part : part;
      length = part.length;
    }
    const rest = JSON.stringify(await end()).slice(1);
    response.end(`${text}],${rest}`);
  } finally {
    await parts.return();
  }
};
