import { projections } from '@rollcall/projector';
import {
  apiCallRow,
  chainOf,
  CHAIN_START,
  CHUNK_TYPE,
  withChain,
  type Clock,
  type EventLog,
} from '@rollcall/application';

import { createHash } from 'node:crypto';

import type { CallContext, DomainEvent } from '@rollcall/contracts';

import { append, context, projectAll, type Rig } from './projector.support.js';

export const id = (n: number): string => `019aa2f0-5c00-7000-8000-00000000000${n}`;
export const operationId = id(1);
export const person: Partial<CallContext> = {
  userId: null,
  username: 'cli:ann@host',
  receivedAt: '2026-11-22T00:00:00.000Z',
};

const isOfAttempt: ReadonlySet<string> = new Set([
  'ImportStarted',
  'ImportInterrupted',
  'ImportProgressed',
  'ImportAttemptFailed',
]);

const isCommand: ReadonlySet<string> = new Set(['ImportCancelled', 'ImportApproved', 'ImportRejected']);

/** Appends as the process does whose event it is. */
export async function write(
  on: Rig,
  events: readonly DomainEvent[],
  change: Partial<CallContext> = {},
): Promise<void> {
  for (const event of events) {
    on.clock.at += 1_000;
    const { operationId: of } = event.data as { operationId: string };
    const isAttempt = isOfAttempt.has(event.name);
    const own = isCommand.has(event.name) ? id(9) : of;
    await append(on, isAttempt ? `operation-${of}` : 'company-7', event, { operationId: own, ...change });
  }
}

/** The row as it is shown. */
export async function row(on: Rig, operation = operationId): Promise<unknown> {
  await projectAll({ ...on, projections });
  const shown = await apiCallRow(on.readModels, 7, operation);
  return shown && JSON.parse(Buffer.from(shown).toString());
}

/** Writes a payload of some chunks, each a letter, and gives what refers to it. */
export async function payload(
  on: { readonly log: EventLog; readonly clock: Clock },
  operation: string,
  pieces: readonly string[] = ['a', 'b'],
) {
  const stream = `payload-${operation}`;
  const recordedAt = new Date(on.clock.now()).toISOString();
  const metadata = JSON.stringify({ ...context({ operationId: operation }), recordedAt });
  let chain = CHAIN_START;
  for (const [revision, piece] of pieces.entries()) {
    const id = `019aa2f0-5c00-4000-8000-0000000000${revision}${operation.at(-1)}`;
    const data = Buffer.from(piece);
    const event = { id, type: CHUNK_TYPE, contentType: 'binary', data } as const;
    chain = chainOf(chain, { stream, revision, id, type: CHUNK_TYPE, data, metadata });
    const stored = { ...event, metadata: Buffer.from(withChain(metadata, chain)) };
    await on.log.append(stream, revision === 0 ? 'no-stream' : revision - 1, [stored]);
  }
  const body = pieces.join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { stream, count: pieces.length, bytes: body.length, sha256 };
}
