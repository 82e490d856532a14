import type { Knex } from 'knex';
import { chain } from './baseline-chain.ts';
import { messages } from './baseline-messages.ts';
import { nodes } from './baseline-nodes.ts';
import { payments } from './baseline-payments.ts';
import { service } from './baseline-service.ts';
import { triggers } from './baseline-triggers.ts';
import { wallets } from './baseline-wallets.ts';

/** The whole schema of the first release, in place of the 55 steps that led to it. */
export const baseline = {
  name: '0068-baseline',
  effect: { kind: 'expand', locks: [] },
  up: (knex: Knex) => knex.raw([nodes, wallets, payments, chain, messages, service, triggers].join('')),
} as const;
