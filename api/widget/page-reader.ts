import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { takeWidgetPayments, type WidgetPaymentRow } from '../../db/widget/rows.ts';
import { found } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createEpisode } from '../../domain/tools/episode.ts';
import { show, type OpenPage } from './open-page.ts';

/** Milliseconds in which changes gather, so that they share a query. */
const GATHER_MS = 25;
/** Milliseconds before states are read again after a failure. */
const RETRY_MS = 1_000;
/** Most bytes of states that one query reads. Usual states have 2 kB. */
const TOGETHER_BYTES = 16 * 2 ** 20;

export interface ReaderDeps {
  readonly knex: Knex;
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly log: Log;
}

/** The pages whose states are to be read. Reads them one query after another, each for all that has gathered. */
export const createReader = ({ knex, log, publicUrl }: ReaderDeps, leave: (page: OpenPage, refusal: Error) => void) => {
  const due = new Set<OpenPage>();
  const trouble = createEpisode();
  let isReading = false;
  let isStopped = false;

  const take = (): OpenPage[] => {
    const taken: OpenPage[] = [];
    let bytes = 0;
    for (const page of due) {
      if (bytes > 0 && bytes + page.bytes > TOGETHER_BYTES) break;
      bytes += page.bytes;
      due.delete(page);
      if (page.streams.size > 0) taken.push(page);
    }
    return taken;
  };

  const showRow = (page: OpenPage, row: WidgetPaymentRow | null): void => {
    try {
      show(page, found(row, 'payment'), publicUrl);
    } catch (error) {
      leave(page, error as Error);
    }
  };

  /** Shows each row as it arrives: all of them at once, with their texts, would be garbage of many megabytes. */
  const showAll = async (pages: readonly OpenPage[]): Promise<void> => {
    const unseen = new Map(pages.map((page) => [page.id, page]));
    await takeWidgetPayments(knex, [...unseen.keys()], (row) => {
      showRow(unseen.get(row.id)!, row);
      unseen.delete(row.id);
    });
    for (const page of unseen.values()) showRow(page, null);
  };

  /** Streams stay open while the database cannot be asked; requests for new ones are refused. */
  const fail = (pages: readonly OpenPage[], error: Error): void => {
    trouble.begins(() => log.warn('The states of open pages cannot be read', { error: error.name }));
    for (const page of pages) {
      for (const stream of page.streams) if (stream.sink === null) stream.answered(error);
      due.add(page);
    }
  };

  const read = async (): Promise<void> => {
    await delay(GATHER_MS);
    const pages = take();
    if (pages.length === 0) return;
    try {
      await showAll(pages);
      trouble.ends(() => log.info('The states of open pages are read again'));
    } catch (error) {
      fail(pages, error as Error);
      await delay(RETRY_MS);
    }
  };

  const readAll = async (): Promise<void> => {
    isReading = true;
    while (due.size > 0 && !isStopped) await read();
    isReading = false;
  };

  return {
    /** Reads the state of a page soon. */
    reads: (page: OpenPage): void => {
      due.add(page);
      if (!isReading) void readAll();
    },
    stop: (): void => {
      isStopped = true;
    },
  };
};
