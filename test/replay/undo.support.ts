import assert from 'node:assert/strict';
import { readInvitations, readRows, type FindRows } from '@rollcall/application';
import type { CompanyState } from '@rollcall/domain';
import { projections, rebuildInto } from '@rollcall/projector';
import fc from 'fast-check';
import { company, configure, request, stateOf, type Company } from '../application/imports.support.js';
import { undo, undone } from '../application/undo.support.js';
import { ModelReadModels } from '../support/model-read-models.js';
import { orderedRows } from '../support/ordered-rows.js';
import { scoped } from '../support/rig.js';
import { shown } from '../support/shown.js';
import { arbitraryLeads, managersBody, membersOf } from './managers.support.js';

const names = ['Ada', 'Bea'];

/** A person, under one of two EmployeeIDs; the address is the person's own. */
const person = fc.record({
  who: fc.integer({ min: 1, max: 6 }),
  isRenamed: fc.boolean(),
  name: fc.constantFrom(...names),
  dated: fc.boolean(),
});
const people = fc.uniqueArray(person, { selector: ({ who }) => who, maxLength: 6 });

const leads = arbitraryLeads.filter(({ roles }) => roles.length < 200);

export const importing = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('employees' as const), people, keeps: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('managers' as const), leads }) },
);
export const step = fc.oneof(
  { weight: 7, arbitrary: importing },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('undo' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('settings' as const), invites: fc.boolean() }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Change {
  readonly operation: string;
  readonly before: CompanyState;
  readonly after: CompanyState;
  /** By number, before it. */
  readonly emails: ReadonlyMap<number, string>;
}

/** A company whose every change is remembered. */
export class History {
  readonly changes: Change[] = [];
  readonly store = new ModelReadModels();
  readonly #on: Company;

  constructor(on: Company) {
    this.#on = on;
  }

  async project(): Promise<void> {
    const last = await this.#on.log.lastPosition();
    if (last !== undefined) await rebuildInto(this.store, { log: this.#on.log, projections }, last);
  }

  async run(step: Step): Promise<void> {
    const [before, emails] = [await stateOf(this.#on), await this.emails()];
    const operation = await this.#carriedOut(step);
    const after = await stateOf(this.#on);
    const isChange = JSON.stringify(before.revisions) !== JSON.stringify(after.revisions);
    if (operation !== undefined && isChange) this.changes.push({ operation, before, after, emails });
  }

  async #carriedOut(step: Step): Promise<string | undefined> {
    switch (step.what) {
      case 'settings':
        await configure(this.#on, { autoInvite: step.invites });
        return undefined;
      case 'undo':
        return this.undo(this.changes[step.which % Math.max(1, this.changes.length)]);
      case 'employees':
      case 'managers':
        return this.#import(step);
      default:
        return step satisfies never;
    }
  }

  async undo(change: Change | undefined): Promise<string | undefined> {
    if (change === undefined) return undefined;
    return undone(await undo(this.#on, change.operation, { force: true })).operation;
  }

  async #import(step: Extract<Step, { what: 'employees' | 'managers' }>): Promise<string> {
    await this.project();
    const findRows: FindRows = async (_kind, companyId, numbers) =>
      (await readRows(this.store, companyId, numbers)).map(
        (row) => row && (JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>),
      );
    const call =
      step.what === 'managers'
        ? request('managers', managersBody(step.leads))
        : request('employees', step.people.map(employee), { keepsRenames: step.keeps });
    const outcome = await this.#on.engine({ findRows }).accept(call);
    assert.ok(['done', 'refused'].includes(outcome.kind), outcome.kind);
    return call.context.operationId;
  }

  /** What readers are shown: employees with numbers and dates, and invitations of those present. */
  async seen(): Promise<unknown> {
    await this.project();
    const employees: unknown[] = [];
    for await (const rows of orderedRows(this.store, { companyId: 7 }))
      for (const { number, row, date } of rows) employees.push([number, Buffer.from(row).toString(), date]);
    const invitations: unknown[] = [];
    for await (const one of readInvitations(this.store, { companyId: 7, now: this.#on.clock.now() }))
      if (one.State !== 'Cancelled') invitations.push(one);
    return { employees, invitations };
  }

  async emails(): Promise<ReadonlyMap<number, string>> {
    await this.project();
    const emails = new Map<number, string>();
    for await (const rows of orderedRows(this.store, { companyId: 7 }))
      for (const { number, row } of rows)
        emails.set(number, (JSON.parse(Buffer.from(row).toString()) as { Email: string }).Email);
    return emails;
  }

  state(): Promise<CompanyState> {
    return stateOf(this.#on);
  }

  /** Read models that were made step by step are as those made at once, and say who is locked. */
  async isAsReplayed(): Promise<void> {
    await this.project();
    const { managers } = await this.state();
    const locked = new Map([...managers.users.values()].map((user) => [user.number, user.locked]));
    assert.deepEqual(await membersOf(this.store, 'manager-users', 7, 'Locked'), locked);
    const again = new ModelReadModels();
    const last = await this.#on.log.lastPosition();
    await rebuildInto(again, { log: this.#on.log, projections }, last ?? 0n);
    assert.deepEqual(await shown(this.store), await shown(again));
  }
}

const employee = ({
  who,
  isRenamed,
  name,
  dated,
}: typeof person extends fc.Arbitrary<infer P> ? P : never) => ({
  EmployeeID: `${isRenamed ? 'X' : 'E'}-${who}`,
  Firstname: name,
  Lastname: 'Example',
  Email: `e${who}@example.com`,
  EmploymentStatus: 0,
  ...(dated ? { InvitationDate: `2026-12-0${who}T08:00:00Z` } : {}),
});

export async function inHistory(
  steps: readonly Step[],
  work: (history: History) => Promise<void>,
): Promise<void> {
  await scoped(async (scope) => {
    const settings = { divisionDimensions: ['Area'], hierarchyEnabled: true };
    const on = await company(scope, { ...settings, departmentDimensions: ['Department'] });
    const history = new History(on);
    for (const one of steps) await history.run(one);
    await work(history);
    await history.isAsReplayed();
  });
}
