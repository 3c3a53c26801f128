import { setImmediate } from 'node:timers/promises';
import type { Invitation, InvitationState } from '@rollcall/contracts';
import type { ReadModelReader, StoredDocument } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import { readRows } from '../read-models/employee-rows.js';
import { dueText, plannedBehind, readPlannedDues, readPlans } from '../read-models/invitation-plans.js';
import { awaitsReturn, invitationCollections, type ProgressDocument } from './documents.js';

type Reader = Pick<ReadModelReader, 'find' | 'get' | 'getMany'>;

interface InvitationQuery {
  readonly companyId: number;
  readonly now: number;
  readonly state?: InvitationState | undefined;
  /** Exclusive. */
  readonly after?: number | undefined;
}

interface Known {
  readonly number: number;
  readonly planned: string | undefined;
  readonly progress: ProgressDocument | undefined;
}

const together = 500;

/** A company's invitations by number, as far as projected. */
export async function* readInvitations(
  readModels: Reader,
  query: InvitationQuery,
): AsyncGenerator<Invitation> {
  const isHeld = await readHeld(readModels, query.companyId);
  let some: Known[] = [];
  for await (const known of allKnown(readModels, query)) {
    some.push(known);
    if (some.length < together) continue;
    yield* rowsOf(readModels, { ...query, isHeld }, some);
    some = [];
    await setImmediate();
  }
  yield* rowsOf(readModels, { ...query, isHeld }, some);
}

/** Undefined where none was planned or requested. */
export const readInvitation = async (
  readModels: Reader,
  { companyId, number, now }: { readonly companyId: number; readonly number: number; readonly now: number },
): Promise<Invitation | undefined> => (await invitationsOf(readModels, { companyId, now }, [number]))[0];

/** Those of these employees, in this order; a number without any is left out. */
export async function invitationsOf(
  readModels: Reader,
  { companyId, now }: Pick<InvitationQuery, 'companyId' | 'now'>,
  numbers: readonly number[],
): Promise<readonly Invitation[]> {
  const keys = numbers.map((number) => [companyId, number] as const);
  const progress = await readModels.getMany(
    invitationCollections.progress,
    keys,
    (stored) => fromJson(stored) as ProgressDocument | undefined,
  );
  const dues = await readPlannedDues(readModels, companyId, numbers);
  const known = numbers.map((number, at) => ({ number, planned: dues.get(number), progress: progress[at] }));
  const isHeld = await readHeld(readModels, companyId);
  const rows: Invitation[] = [];
  for await (const row of rowsOf(readModels, { companyId, now, isHeld }, known.filter(isKnown)))
    rows.push(row);
  return rows;
}

const isKnown = ({ planned, progress }: Known): boolean => (planned ?? progress) !== undefined;

const readHeld = async (readModels: Pick<ReadModelReader, 'get'>, companyId: number): Promise<boolean> =>
  (await readModels.get(invitationCollections.holds, [companyId])) !== undefined;

async function* rowsOf(
  readModels: Reader,
  query: InvitationQuery & { readonly isHeld: boolean },
  some: readonly Known[],
): AsyncGenerator<Invitation> {
  const numbers = some.map(({ number }) => number);
  const employees = await readRows(readModels, query.companyId, numbers);
  for (const [at, known] of some.entries()) {
    const employee = employees[at];
    const state = stateOf(known, { ...query, hasLeft: employee === undefined });
    if (query.state !== undefined && query.state !== state) continue;
    yield rowOf(known, state, employee);
  }
}

interface Circumstances {
  readonly now: number;
  readonly isHeld: boolean;
  readonly hasLeft: boolean;
}

const names = {
  requested: 'Planned',
  sending: 'Sending',
  deferred: 'Deferred',
  sent: 'Sent',
  failed: 'Failed',
  cancelled: 'Cancelled',
  left: 'Cancelled',
} as const satisfies Record<ProgressDocument['state'], InvitationState>;
const ends: readonly InvitationState[] = ['Sent', 'Failed', 'Cancelled'];

const recordedOf = ({ progress }: Known): InvitationState =>
  progress && !awaitsReturn(progress) ? names[progress.state] : 'Planned';

function stateOf(known: Known, { now, isHeld, hasLeft }: Circumstances): InvitationState {
  const recorded = recordedOf(known);
  if (ends.includes(recorded)) return recorded;
  if (hasLeft) return 'Cancelled';
  const state = recorded !== 'Deferred' && wakeOf(known) <= now ? 'Due' : recorded;
  return isHeld && state !== 'Sending' ? 'Held' : state;
}

/** Of one that is being sent: when its claim ends. */
const wakeOf = (known: Known): number => known.progress?.due ?? Date.parse(dueAtOf(known));

const dueAtOf = ({ planned, progress }: Known): string => progress?.dueAt ?? planned ?? '';

const untouched = { attempts: 0, lastError: null, sentAt: null, messageId: null };

function rowOf(known: Known, state: InvitationState, employee: Uint8Array | undefined): Invitation {
  const { attempts, lastError, sentAt, messageId } = known.progress ?? untouched;
  return {
    Number: known.number,
    ...(employee && { EmployeeID: (fromJson(employee) as { readonly EmployeeID: string }).EmployeeID }),
    State: state,
    DueAt: dueAtOf(known),
    Attempts: attempts,
    LastError: lastError && { Code: lastError.code, Problem: lastError.problem },
    SentAt: sentAt,
    MessageId: messageId,
  };
}

async function* allKnown(readModels: Reader, { companyId, after }: InvitationQuery): AsyncGenerator<Known> {
  const options = { prefix: [companyId], ...(after !== undefined && { after: [companyId, after] as const }) };
  const plans = new PeekedItems(plansBehind(readModels, companyId, after));
  const progress = new PeekedItems(progressOf(readModels.find(invitationCollections.progress, options)));
  try {
    await Promise.all([plans.advance(), progress.advance()]);
    for (;;) {
      const number = Math.min(plans.number, progress.number);
      if (number === Infinity) return;
      yield { number, planned: await plans.take(number), progress: await progress.take(number) };
    }
  } finally {
    await Promise.all([plans.end(), progress.end()]);
  }
}

interface Numbered<T> {
  readonly number: number;
  readonly document: T;
}

async function* plansBehind(
  readModels: Reader,
  companyId: number,
  after?: number,
): AsyncGenerator<Numbered<string>> {
  for await (const { plans } of readPlans(readModels, companyId, after))
    for (const { number, due } of plannedBehind(plans, after)) yield { number, document: dueText(due) };
}

async function* progressOf(found: AsyncIterable<StoredDocument>): AsyncGenerator<Numbered<ProgressDocument>> {
  for await (const { key, value } of found)
    yield { number: Number(key[1]), document: fromJson(value) as ProgressDocument };
}

class PeekedItems<T> {
  readonly #items: AsyncIterator<Numbered<T>>;
  #next: Numbered<T> | undefined;

  constructor(items: AsyncIterable<Numbered<T>>) {
    this.#items = items[Symbol.asyncIterator]();
  }

  get number(): number {
    return this.#next?.number ?? Infinity;
  }

  async advance(): Promise<void> {
    const next = await this.#items.next();
    this.#next = next.done === true ? undefined : next.value;
  }

  async take(number: number): Promise<T | undefined> {
    if (this.#next?.number !== number) return undefined;
    const { document } = this.#next;
    await this.advance();
    return document;
  }

  async end(): Promise<void> {
    await this.#items.return?.();
  }
}
