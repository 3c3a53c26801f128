import assert from 'node:assert/strict';
import {
  dueText,
  type EventLog,
  invitationCollections,
  plannedBehind,
  type PlansDocument,
  readRows,
  type ReadModels,
} from '@rollcall/application';
import type { InvitationSending } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import fc from 'fast-check';
import { append, employeeSet, type Rig } from '../projector/projector.support.js';
import { openInvitations } from '../support/open-invitations.js';

const ids = ['A-1', 'B', 'é', '😀', '10'];
const minute = 60_000;
const begin = Date.parse('2026-11-23T07:00:00Z');

const moving = fc.constantFrom('claim' as const, 'claim', 'sent', 'deferred', 'failed', 'cancel', 'resend');

/** What may happen to the invitations of company 7. */
const happening = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('set' as const),
      present: fc.subarray(ids),
      /** Minutes from now; null: none is planned. */
      due: fc.option(fc.integer({ min: -5, max: 90 })),
      large: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      what: moving,
      who: fc.nat(9),
      minutes: fc.constantFrom(0, 1, 11, 70),
      /** The worker, or the person, has not heard yet that the employee has left. */
      late: fc.boolean(),
      /** Of the claims so far. */
      claim: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('hold' as const), held: fc.boolean() }) },
);
export type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;
type SetReplaced = Extract<Happening, { what: 'set' }>;
type Move = Extract<Happening, { who: number }>;

export const arbitraryHistory = fc.array(happening, { minLength: 1, maxLength: 20 });

class Invited {
  readonly number: number;
  readonly id: string;
  readonly plan: string | null;
  readonly claims: InvitationSending[] = [];
  present = true;
  state = invitations.initialState();
  /** When it is to be looked at again, while its employee is here. */
  entry: number | null;
  firstSentAt: string | undefined;

  constructor(number: number, id: string, plan: string | null) {
    this.number = number;
    this.id = id;
    this.plan = plan;
    this.entry = plan === null ? null : Date.parse(plan);
  }

  leaves(): void {
    this.present = false;
  }

  happens(event: invitations.InvitationEvent): void {
    this.state = invitations.evolve(this.state, event);
    if (event.name === 'InvitationSending') this.claims.push(event.data);
    if (event.name === 'InvitationSent') this.firstSentAt ??= event.data.sentAt;
    const wake = invitations.wakeMoment(this.state, this.plan);
    this.entry = wake === null || this.state.status === 'left' ? null : Date.parse(wake);
  }
}

interface Decided {
  readonly events: readonly invitations.InvitationEvent[];
}

const problem = { code: '451', problem: 'Later' };
const record =
  (decide: (claim: InvitationSending) => invitations.RecordDecision) =>
  (claim: InvitationSending | undefined): invitations.RecordDecision =>
    claim === undefined ? { kind: 'nothing' } : decide(claim);

const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A company whose imports, workers and administrators do what a history says; a simple model of what can be read. */
export class InvitedCompany {
  readonly #on: { readonly log: EventLog; readonly clock: Rig['clock'] };
  readonly #races: boolean;
  readonly #people: Invited[] = [];
  #now = begin;
  #held = false;

  /** With `races` something may still happen to invitations of who has left. */
  constructor(on: { readonly log: EventLog; readonly clock: Rig['clock'] }, races: boolean) {
    this.#on = on;
    this.#races = races;
  }

  async happens(next: Happening): Promise<void> {
    if (next.what === 'set') return this.#replace(next);
    if (next.what !== 'hold') return this.#move(next);
    this.#held = next.held;
    const data = { reason: null };
    const event = next.held
      ? ({ name: 'InvitationsHeld', data } as const)
      : ({ name: 'InvitationsReleased', data } as const);
    await append(this.#on, 'company-7', event);
  }

  async #replace({ present, due, large }: SetReplaced): Promise<void> {
    const before = this.#people.filter((one) => one.present);
    const left = before.filter(({ id }) => !present.includes(id));
    for (const one of left) one.leaves();
    const plan = due === null ? null : isoSeconds(this.#now + due * minute);
    const added = present
      .filter((id) => !before.some((one) => one.id === id))
      .map((id) => this.#add(id, plan));
    const event = employeeSet({
      added: added.map(({ number, id }) => ({
        number,
        id,
        ...(large && { name: 'x'.repeat(200_000) }),
        ...(plan !== null && { due: plan }),
      })),
      left: left.map(({ number }) => number),
      total: present.length,
      lastNumber: this.#people.length,
    });
    await append(this.#on, 'company-7', event);
  }

  #add(id: string, plan: string | null): Invited {
    const added = new Invited(this.#people.length + 1, id, plan);
    this.#people.push(added);
    return added;
  }

  async #move(move: Move): Promise<void> {
    this.#now += move.minutes * minute + 1;
    const one = this.#people[move.who % Math.max(1, this.#people.length)];
    if (one === undefined || (!one.present && !this.#races)) return;
    const decision = this.#decide(one, move);
    if (!('events' in decision)) return;
    for (const event of decision.events) {
      one.happens(event);
      await append(this.#on, invitations.invitationStream(7, one.number), event);
    }
  }

  #decide(one: Invited, { what, late, claim: back }: Move): { readonly kind: string } | Decided {
    const now = this.#now;
    const present = one.present || late;
    const { plan: plannedDueAt, state } = one;
    const person = { plannedDueAt, present, now, reason: null };
    const messageId = (round: number): string => `${one.number}-${round}@example.com`;
    const worker = { ...person, held: this.#held, messageId };
    const decide = {
      claim: () => invitations.decideClaim(worker, state),
      resend: () => invitations.resend(person, state),
      cancel: () => invitations.cancel(person, state),
      sent: record((claim) => invitations.recordSent({ claim, response: '250 Ok', sentAt: now }, state)),
      failed: record((claim) => invitations.recordFailed({ claim, ...problem }, state)),
      deferred: record((claim) => invitations.recordDeferred({ claim, ...problem, now }, state)),
    };
    return decide[what](one.claims.at(-1 - back) ?? one.claims.at(-1));
  }

  /** What the read models hold, by collection. */
  expected(): Readonly<Record<string, readonly unknown[]>> {
    const people = this.#people;
    const begun = people.filter(({ claims, state }) => claims.length > 0 || state.status !== 'planned');
    const open = people.flatMap(({ entry, number, present, state }) =>
      entry === null || (state.status === 'planned' && !present) ? [] : [{ number, due: entry }],
    );
    return {
      plans: people
        .filter(({ plan }) => plan !== null)
        .map(({ number, plan, present }) => [number, plan, present ? 'planned' : 'left']),
      progress: begun.map(({ number, state, firstSentAt, entry }) => [
        number,
        state.status,
        state.status === 'planned' || state.status === 'sent' ? null : state.attempt,
        firstSentAt,
        entry,
      ]),
      open: open.sort((a, b) => a.due - b.due || a.number - b.number),
      held: this.#held ? [7] : [],
    };
  }
}

/** The same as the store has it. */
export async function stored(store: ReadModels): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { progress, holds } = invitationCollections;
  const open = await openInvitations(store);
  return {
    plans: await plansOf(store),
    progress: await all(store, progress, (number, { state, attempts, firstSentAt, due }) => [
      number,
      state,
      state === 'sent' ? null : attempts,
      firstSentAt,
      due,
    ]),
    open: open.toSorted((a, b) => a.due - b.due || a.number - b.number),
    held: (await keysOf(store, holds)).flat(),
  };
}

/** Who has left has no row. */
async function plansOf(store: ReadModels): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { value } of store.find(invitationCollections.plans, { prefix: [7] }))
    for (const { number, due } of plannedBehind(JSON.parse(Buffer.from(value).toString()) as PlansDocument)) {
      const [row] = await readRows(store, 7, [number]);
      found.push([number, dueText(due), row === undefined ? 'left' : 'planned']);
    }
  return found;
}

type Document = Readonly<Record<string, unknown>>;

async function all<T>(
  store: ReadModels,
  collection: string,
  shown: (number: number, document: Document) => T,
): Promise<T[]> {
  const found: T[] = [];
  for await (const { key, value } of store.find(collection, { prefix: [7] }))
    found.push(shown(Number(key[1]), JSON.parse(Buffer.from(value).toString()) as Document));
  return found;
}

async function keysOf(store: ReadModels, collection: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { key } of store.find(collection, { prefix: [7] })) found.push(key);
  return found;
}

export async function assertAsExpected(store: ReadModels, company: InvitedCompany): Promise<void> {
  assert.deepEqual(await stored(store), company.expected());
}
