import { projections, rebuild, runProjector, verifyReadModels } from '@rollcall/projector';
import { openEmbeddedReadModels } from '@rollcall/adapters';
import { ReadModelsUnavailable, type ReadModels } from '@rollcall/application';

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import type { DomainEvent } from '@rollcall/contracts';

import fc from 'fast-check';
import t from 'tap';
import { cancelled, failed, progressed, queued, started } from '../projector/import-events.support.js';
import {
  append,
  openRig,
  configured,
  contents,
  context,
  emptyStore,
  employeeSet,
  largeRefusal,
  projectAll,
  refused,
  survey,
  type Rig,
  type SetChange,
} from '../projector/projector.support.js';
import { importManagers } from '../support/manager-imports.js';
import { arbitraryLeads, enabledRoles, type Leads, managersBody } from './managers.support.js';
import { watched } from '../projector/watched.support.js';
import { scale, seed } from '../support/scale.js';
import { orderedRows } from '../support/ordered-rows.js';

/** Ids that sort differently by code point, by locale and by code unit. */
const IDS = ['A-1', 'a-1', 'B', 'é', 'z', '\uFFFD', '😀', '中', '10', '9'];

/** What may happen to a queued import, in any order: a replay comes to the same. */
const inAnImport = { queued, started, progressed: (id: string) => progressed(id, 40), failed, cancelled };

type Writing =
  | { readonly kind: 'configure'; readonly company: number; readonly name: string }
  | { readonly kind: 'survey'; readonly survey: number; readonly names: readonly string[] }
  | { readonly kind: 'refuse'; readonly large: boolean }
  | {
      readonly kind: 'employees';
      readonly company: number;
      readonly present: readonly string[];
      readonly name: string;
    }
  | { readonly kind: 'managers'; readonly company: number; readonly leads: Leads }
  | { readonly kind: 'import'; readonly operation: number; readonly what: keyof typeof inAnImport };
type Step =
  | Writing
  | { readonly kind: 'project' }
  | { readonly kind: 'crash'; readonly after: number }
  | { readonly kind: 'rebuild' };

const company = fc.integer({ min: 1, max: 2 });
const name = fc.constantFrom('Ann', 'Bob', 'Zoë');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('configure' as const), company, name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('survey' as const),
      survey: fc.integer({ min: 1, max: 3 }),
      names: fc.array(name, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse' as const), large: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('employees' as const),
      company,
      present: fc.subarray(IDS),
      name,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('managers' as const), company, leads: arbitraryLeads }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'project' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      operation: fc.integer({ min: 1, max: 3 }),
      what: fc.constantFrom('queued' as const, 'started', 'progressed', 'progressed', 'failed', 'cancelled'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('crash' as const), after: fc.integer({ min: 0, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'rebuild' as const }) },
);

const isWriting = (step: Step): step is Writing => !['project', 'crash', 'rebuild'].includes(step.kind);

/** What a company's set is by now. */
interface SetState {
  readonly present: Map<string, { readonly number: number; name: string }>;
  last: number;
}

/** The change that leads from a set to another, as an import writes it. */
function changeTo(state: SetState, present: readonly string[], name: string): SetChange {
  const left = [...state.present].filter(([id]) => !present.includes(id));
  for (const [id] of left) state.present.delete(id);
  const changed = [...state.present].filter(([, one]) => one.name !== name);
  for (const [, one] of changed) one.name = name;
  const added = present
    .filter((id) => !state.present.has(id))
    .map((id) => ({ id, name, number: (state.last += 1) }));
  for (const { id, number } of added) state.present.set(id, { number, name });
  return {
    added,
    changed: changed.map(([id, { number }]) => ({ id, number, name })),
    left: left.map(([, { number }]) => number),
    total: present.length,
    lastNumber: state.last,
  };
}

class Life {
  readonly #on: Rig;
  readonly #sets = new Map<number, SetState>();
  readonly #leads = new Map<number, Leads>();

  constructor(on: Rig) {
    this.#on = on;
  }

  /** Where the set really stands, as GET would show it. */
  expected(companyId: number): string[] {
    const { present } = this.#set(companyId);
    const sorted = [...present].sort(([, one], [, other]) => one.number - other.number);
    return sorted.map(([id, { name, number }]) => `${id} ${name} ${number}`);
  }

  /** The company's enabled roles. */
  expectedRoles(companyId: number): string[] {
    const { roles = [] } = this.#leads.get(companyId) ?? {};
    return roles.map(([department, user]) => `${department} ${user}`).sort();
  }

  async do(step: Step): Promise<void> {
    const run = { ...this.#on, projections };
    if (isWriting(step)) return this.#write(step);
    switch (step.kind) {
      case 'project':
        return projectAll(run);
      case 'crash':
        return crash(this.#on, step.after);
      case 'rebuild':
        return rebuild(this.#on.readModels, run);
      default:
        return step satisfies never;
    }
  }

  async #write(step: Writing): Promise<void> {
    switch (step.kind) {
      case 'configure':
        return this.#append(`company-${step.company}`, [configured(step.company, step.name)], step.company);
      case 'survey':
        return this.#append(
          `survey-${step.survey}`,
          step.names.map((one) => survey(step.survey, one)),
          7,
        );
      case 'refuse':
        return this.#append(`operation-${randomUUID()}`, [step.large ? largeRefusal() : refused()], 7);
      case 'employees': {
        const change = changeTo(this.#set(step.company), step.present, step.name);
        return this.#append(`company-${step.company}`, [employeeSet(change)], step.company);
      }
      case 'managers':
        this.#leads.set(step.company, step.leads);
        await importManagers(this.#on, context({ companyId: step.company }), managersBody(step.leads));
        return;
      case 'import':
        return this.#import(step.operation, step.what);
      default:
        return step satisfies never;
    }
  }

  async #import(operation: number, what: keyof typeof inAnImport): Promise<void> {
    const operationId = `019aa2f0-5c00-7000-8000-00000000000${operation}`;
    const ofAttempt = what === 'started' || what === 'progressed';
    const stream = ofAttempt ? `operation-${operationId}` : 'company-1';
    await append(this.#on, stream, inAnImport[what](operationId), { companyId: 1, operationId });
  }

  #set(companyId: number): SetState {
    const state = this.#sets.get(companyId) ?? { present: new Map(), last: 0 };
    this.#sets.set(companyId, state);
    return state;
  }

  async #append(stream: string, events: DomainEvent[], companyId: number): Promise<void> {
    await append(this.#on, stream, events, { companyId });
  }
}

/** A projector that dies before its question number `after` to the store. */
async function crash(on: Rig, after: number): Promise<void> {
  const end = new AbortController();
  let left = after;
  const die = (): void => {
    left -= 1;
    if (left >= 0) return;
    end.abort();
    throw new ReadModelsUnavailable('killed');
  };
  const readModels = watched(on.readModels, { write: die, advance: die });
  const sleepless = async () => undefined;
  const running = runProjector({ ...on, readModels, projections, signal: end.signal, sleep: sleepless });
  const last = await on.log.lastPosition();
  const dead = new Promise((resolve) => end.signal.addEventListener('abort', resolve));
  if (last !== undefined) await Promise.race([dead, on.readModels.reachedPosition(last, 20_000)]);
  end.abort();
  await running;
}

async function employees(store: ReadModels, companyId: number): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of orderedRows(store, { companyId }))
    for (const { number, row } of batch) {
      const { EmployeeID, Firstname } = JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>;
      found.push(`${String(EmployeeID)} ${String(Firstname)} ${number}`);
    }
  return found;
}

t.test(
  'read models that grew with the log, through crashes and rebuilds, are those of a replay',
  async (t) => {
    const numRuns = Math.max(10, Math.ceil(200 * scale));
    t.comment(`${numRuns} histories, TEST_SEED=${seed}`);
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const on = await openRig(t);
      const life = new Life(on);
      for (const one of steps) await life.do(one);
      await projectAll({ ...on, projections });
      const replayed = await emptyStore(t, on);
      await projectAll({ ...on, readModels: replayed, projections });
      assert.deepEqual(await contents(on.readModels), await contents(replayed));
      for (const companyId of [1, 2]) {
        assert.deepEqual(await employees(replayed, companyId), life.expected(companyId));
        assert.deepEqual(await enabledRoles(replayed, companyId), life.expectedRoles(companyId));
      }
      const verdict = await verifyReadModels({ ...on, temporaryFolder: on.folder });
      if (verdict.kind !== 'same') throw new Error(`verified as ${verdict.kind}`);
      const before = await contents(on.readModels);
      await on.readModels.close();
      await replayed.close();
      const again = await openEmbeddedReadModels({ folder: `${on.folder}/read-models` });
      assert.deepEqual(await contents(again), before);
      await again.close();
      await on.log.close();
    });
    await t.resolves(fc.assert(property, { seed, numRuns }));
  },
);
