import {
  companyFold,
  CompanyStateCache,
  EmployeeSetFold,
  type EventLog,
  foldStream,
  type LoadedEvent,
  type LoadedState,
  type StateSnapshot,
  type StateSnapshots,
} from '@rollcall/application';

import assert from 'node:assert/strict';

import { companyStateVersion, type CompanyState, encodeCompanyState } from '@rollcall/domain';
import { Digester } from '@rollcall/employee-lists';
import { hasSoundDigest, readEntryRows, SetEventParser } from '@rollcall/employee-lists/set';

import type { Test } from 'tap';
import type { Rig } from '../projector/projector.support.js';
import { company as companyOn, request, type Company } from './imports.support.js';
import { withMembers } from '../support/with-members.js';

export const digester = new Digester(Buffer.alloc(32, 5));
export const fold = companyFold(digester);
export const stream = 'company-7';

/** Company 7 with integration enabled, and a way to send lists to it. */
export async function company(t: Test) {
  const place = await companyOn(t, { queueThreshold: null });
  return { place, send: sender(place, statesOf(place.snapshots)) };
}

export const statesOf = (
  snapshots: Pick<StateSnapshots, 'newest'>,
  onUnusable: (stream: string) => void = () => undefined,
): CompanyStateCache => new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000, onUnusable });

export const sender = (place: Company, states: CompanyStateCache) => (list: unknown) =>
  place.engine({ states }).accept(request('employees', list));

export const noSnapshots = { newest: () => Promise.resolve(undefined) };

export function sameState(one: CompanyState, other: CompanyState): void {
  assert.deepEqual(one.settings, other.settings);
  assert.deepEqual(one.lastBody, other.lastBody);
  assert.equal(one.employees.setDigest, other.employees.setDigest);
  assert.equal(one.employees.count, other.employees.count);
  assert.equal(one.employees.lastNumber, other.employees.lastNumber);
  assert.ok(hasSoundDigest(one.employees, digester));
  assert.deepEqual(one.managers, other.managers);
  assert.deepEqual(one.pending, other.pending);
  assert.deepEqual(new Map(one.keys.entries()), new Map(other.keys.entries()));
  assert.deepEqual(one.revisions, other.revisions);
  assert.deepEqual(one.accepted, other.accepted);
  assert.equal(one.held, other.held);
}

/** The state as of a revision. */
export async function stateAt(log: EventLog, revision: number): Promise<LoadedState<CompanyState>> {
  const events = log.readStream(stream, { limit: revision + 1 });
  const upToThere = withMembers(log, {
    readStream: (name, options) => (name === stream ? events : log.readStream(name, options)),
  });
  return foldStream(upToThere, stream, fold);
}

export async function snapshotAt({ log }: Rig, revision: number): Promise<StateSnapshot> {
  const { state, head } = await stateAt(log, revision);
  if (head.recordedAt === null || head.revision !== revision) throw new Error('no such revision');
  const { chain, recordedAt } = head;
  const bytes = encodeCompanyState(state);
  return { stream, revision, stateVersion: companyStateVersion, chain, recordedAt, bytes };
}

/** As while the event is projected. */
export async function foldedBeside(
  before: LoadedState<CompanyState>,
  event: LoadedEvent,
): Promise<EmployeeSetFold> {
  const folding = new EmployeeSetFold(before, event);
  const parser = new SetEventParser(
    (kind, bytes, start) => folding.entry(kind, bytes, start),
    (kind, bytes, start) =>
      kind === 'left' || kind === 'restored'
        ? start
        : readEntryRows({ bytes, start }, kind, (_rows, digests) => folding.entries(kind, digests)),
    (summary) => folding.begin(summary),
  );
  for await (const chunk of event.chunks()) parser.push(chunk);
  parser.finish();
  folding.finish();
  return folding;
}
