import { runProjector, type ProjectorOptions } from '@rollcall/projector';
import {
  blocksCollection,
  decideStep,
  eventId,
  isLeftOver,
  type Clock,
  type DocumentKey,
  type EventLog,
  type NewEvent,
  type ReadModelReader,
  type ReadModels,
  readModelCollections,
  rowsOf,
} from '@rollcall/application';
import { orderedRows } from '../support/ordered-rows.js';
import { openEmbeddedReadModels } from '@rollcall/adapters';
import { companies } from '@rollcall/domain';

import { createHash, randomUUID } from 'node:crypto';

import type { CallContext, DomainEvent } from '@rollcall/contracts';

import { collectionsWithSeen, type Ending, type Rig } from '../support/rig.js';
import { writable, type WritableReadModels } from '../support/writable.js';

export { openRig, type Rig } from '../support/rig.js';

/** Another, empty store. */
export async function emptyStore(t: Ending, { folder }: Rig): Promise<WritableReadModels> {
  const store = writable(
    await openEmbeddedReadModels({
      folder: `${folder}/${randomUUID()}`,
      sync: false,
      collections: collectionsWithSeen,
    }),
  );
  t.teardown(() => store.close());
  return store;
}

export const context = (change: Partial<CallContext> = {}): CallContext => ({
  companyId: 7,
  operationId: randomUUID(),
  userId: 3,
  username: 'HR system',
  causationId: null,
  receivedAt: '2026-11-21T08:59:59.500Z',
  ...change,
});

/** Appends behind whatever the stream holds, of the same operation too; the position of the last event. */
export async function append(
  { log, clock }: { readonly log: EventLog; readonly clock: Clock },
  stream: string,
  events: NewEvent | readonly NewEvent[],
  change: Partial<CallContext> = {},
): Promise<bigint> {
  const last = await log.readLast(stream);
  const next = (last?.revision ?? -1) + 1;
  const call = context(change);
  const outcome = await decideStep(
    { log, clock },
    {
      stream,
      context: call,
      fold: { initial: () => null, evolve: () => null },
      decide: () => ({ kind: 'events', events: [events].flat() }),
      idOf: (index) => eventId(call.operationId, stream, next + index),
    },
  );
  if (outcome.kind !== 'appended') throw new Error(outcome.kind);
  return outcome.position;
}

export const refused = (
  problems: readonly string[] = ['[0] EmployeeID must not be empty'],
  status = 400,
): DomainEvent => ({
  name: 'ImportRefused',
  data: {
    operationId: randomUUID(),
    method: 'PUT /v1.0/Company/7/Employee',
    status,
    bodySha256: null,
    validationErrors: [...problems],
  },
});

/** Too large to stand in the event itself. */
export const largeRefusal = (bytes = 600_000): DomainEvent => refused(['x'.repeat(bytes)]);

export const configured = (companyId: number, name: string): DomainEvent => ({
  name: 'CompanyConfigured',
  data: {
    companyId,
    settings: { ...companies.defaultSettings(companyId), name, integrationEnabled: true },
  },
});

export const survey = (surveyId: number, name: string, companyId = 7): DomainEvent => ({
  name: 'SurveyCreated',
  data: {
    surveyId,
    surveyDefinitionId: surveyId + 1_000,
    companyId,
    name,
    start: '2026-11-21T00:00:00Z',
    end: '2026-12-21T00:00:00Z',
    state: 1,
    surveySelectionRule: null,
    lastKey: 0,
    questions: [],
  },
});

const hash = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

export interface SetChange {
  readonly added?: readonly { number: number; id: string; name?: string; due?: string }[];
  readonly changed?: readonly { number: number; id: string; name: string }[];
  readonly left?: readonly number[];
  readonly restored?: readonly { readonly number: number; readonly id: string; readonly name?: string }[];
  readonly total: number;
  readonly lastNumber: number;
}

const values = (id: string, name: string, invitationDate?: string) => ({
  EmployeeID: id,
  Firstname: name,
  Lastname: 'Example',
  Email: `${hash(id, 12)}@example.com`,
  EmploymentStatus: 0,
  ...(invitationDate !== undefined && { InvitationDate: invitationDate }),
});

/** A change of the employee set, as an import writes it; its digests are made up. */
export function employeeSet(change: SetChange): DomainEvent {
  const { added = [], changed = [], left = [], restored = [], total, lastNumber } = change;
  const data = {
    operationId: randomUUID(),
    bodySha256: hash('body', 64),
    digestVersion: 1,
    inserted: added.length,
    updated: changed.length,
    removed: left.length,
    total,
    lastNumber,
    setDigest: hash('set', 32),
    added: added.map(({ number, id, name = 'Ann', due = null }) => ({
      number,
      idDigest: hash(id, 32),
      digest: hash(`${id}${name}`, 32),
      invitationDue: due,
      values: values(id, name, due ?? undefined),
    })),
    changed: changed.map(({ number, id, name }) => ({
      number,
      digest: hash(`${id}${name}`, 32),
      values: values(id, name),
    })),
    left: left.map((number) => ({ number })),
    restored: restored.map(({ number, id, name = 'Ann' }) => ({
      number,
      idDigest: hash(id, 32),
      digest: hash(`${id}${name}`, 32),
      values: values(id, name, '2026-12-01T08:00:00Z'),
    })),
  };
  return { name: 'EmployeeSetReplaced', data };
}

export type Running = Omit<ProjectorOptions, 'signal'>;

/** Runs a projector while `work` runs. */
export async function whileProjecting<T>(options: Running, work: () => Promise<T>): Promise<T> {
  const end = new AbortController();
  const running = runProjector({ ...options, signal: end.signal });
  try {
    return await work();
  } finally {
    end.abort();
    await running;
  }
}

/** Projects until everything in the log is applied. */
export async function projectAll(options: Running & { readonly readModels: ReadModels }): Promise<void> {
  const last = await options.log.lastPosition();
  if (last === undefined) return;
  await whileProjecting(options, async () => {
    if (!(await options.readModels.reachedPosition(last, 60_000)))
      throw new Error('the projector did not get there');
  });
}

/** Every document of every collection but the heads of streams, in order, as text; a block row by row. */
export async function contents(store: ReadModelReader, more: readonly string[] = []): Promise<string[]> {
  const all: string[] = [];
  for (const collection of [...readModelCollections.map(({ name }) => name), ...more]) {
    if (collection === 'streams') continue;
    for await (const { key, value } of store.find(collection, { prefix: [] })) {
      if (await isLeftOver(store, collection, key)) continue;
      const texts = collection === blocksCollection ? rowsText(value, Number(key[1])) : [text(value)];
      for (const one of texts) all.push(`${collection} ${JSON.stringify(key)} ${one}`);
    }
  }
  return all;
}

const text = (value: Uint8Array): string => Buffer.from(value).toString();
const rowsText = (block: Uint8Array, index: number): string[] =>
  Array.from(rowsOf(block, index), ({ row }) => text(row));

export async function document(
  store: ReadModelReader,
  collection: string,
  key: DocumentKey,
): Promise<unknown> {
  const value = await store.get(collection, key);
  return value && JSON.parse(text(value));
}

/** The element of GET employees. */
export async function employee(store: ReadModelReader, companyId: number, number: number): Promise<unknown> {
  for await (const [found] of orderedRows(store, { companyId, after: number - 1, limit: 1 }))
    if (found?.number === number)
      return { ...(JSON.parse(text(found.row)) as object), InvitationDate: found.date };
  return undefined;
}

/** By two sweeps, as an hour apart: only what the one before has found old goes. */
export const swept = async (sweeper: { sweep(): Promise<readonly string[]> }): Promise<readonly string[]> => [
  ...(await sweeper.sweep()),
  ...(await sweeper.sweep()),
];
