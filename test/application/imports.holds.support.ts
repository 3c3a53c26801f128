import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  cancelQueuedImport,
  companyFold,
  CompanyStateCache,
  configureCompany,
  decideAndAppend,
  decideHeldImport,
  type ImportEngine,
  knownImport,
  type ManageImportsDeps,
  type RecordedEvent,
  retryQueuedImport,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import { numberWithId, pendingOf } from '@rollcall/domain';
import type { Ending } from '../support/rig.js';
import { callContext } from './decide-and-append.support.js';
import {
  type Command,
  type CommandOnImport,
  limitFrom,
  type Model,
  newModel,
  step,
} from './imports.holds.model.js';
import {
  company,
  type Company,
  dataOf,
  manage,
  metadataOf,
  people,
  recorded,
  request,
  roles,
  stateOf,
  stream,
} from './imports.support.js';

/** A process: its engine and its commands share a cache that no other process has. */
interface Side {
  readonly engine: ImportEngine;
  readonly deps: ManageImportsDeps;
}

function sideOf(on: Company, processId: string): Side {
  const { snapshots, digester } = on;
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  return { engine: on.engine({ states, processId }), deps: { ...manage(on), states } };
}

const otherOutcome = 'of another set';
const isKnown = ({ type }: RecordedEvent): boolean => /^(Import|Employee|Manager|CompanyConf)/.test(type);

/** Any order in which both could have run alone. A run that loses its import to the other command does nothing. */
function orders([a, b]: readonly [Command, Command]): Command[][] {
  const alone = [...(a.what === 'run' ? [[b]] : []), ...(b.what === 'run' ? [[a]] : [])];
  return [[a, b], [b, a], ...alone];
}

export class HoldHistory {
  model: Model;
  /** Races that were under way in each other. */
  interleaved = 0;
  readonly #on: Company;
  readonly #sides: readonly [Side, Side];
  readonly #ids: string[] = [];
  readonly #outcomes = new Map<number, string>();
  #events = 0;

  private constructor(on: Company) {
    this.#on = on;
    this.#sides = [sideOf(on, 'a'), sideOf(on, 'b')];
    this.model = newModel(on.clock.now());
  }

  static async open(scope: Ending): Promise<HoldHistory> {
    const on = await company(scope, { batchLimit: 25, batchLimitFrom: limitFrom, overLimit: 'hold' });
    await on.engine().accept(request('employees', people(1, 2, 3, 4)));
    const history = new HoldHistory(on);
    history.#events = (await recorded(on.log, stream)).length;
    return history;
  }

  wait(ms: number): void {
    this.#on.clock.at += ms;
    this.model.now += ms;
  }

  async one(command: Command, side: 0 | 1): Promise<void> {
    await this.#run(command, this.#sides[side]);
    await this.#compare([[command]]);
  }

  /** The second one runs on the other side just before an append of the first; `after` go through before. */
  async race(commands: readonly [Command, Command], side: 0 | 1, after: number): Promise<void> {
    const [first, second] = commands;
    const { log } = this.#on;
    const race = { hasRun: false };
    const other = async (): Promise<void> => {
      race.hasRun = true;
      await this.#run(second, this.#sides[side === 0 ? 1 : 0]);
    };
    log.script = [...Array.from({ length: after }, () => 'through' as const), other];
    await this.#run(first, this.#sides[side]);
    log.script = [];
    const isInterleaved = race.hasRun;
    if (isInterleaved) this.interleaved += 1;
    else await other();
    await this.#compare(isInterleaved ? orders(commands) : [[first, second]]);
  }

  /** Everything held is decided on, everything else runs: nothing is left over. */
  async drain(of: number): Promise<void> {
    for (let number = of; this.model.queue.length > 0; number += 2) {
      const [first] = this.model.queue;
      const target = first?.of ?? 0;
      if (first?.hold) await this.one({ of: number, what: 'approve', target, shown: null }, 0);
      await this.one({ of: number + 1, what: 'run' }, 1);
    }
  }

  /** The set, the queue and the state of each operation, read from the log alone. */
  async assertSame(): Promise<void> {
    const { employees, pending } = await stateOf(this.#on);
    const { present, queue, imports } = this.model;
    const { digester, log } = this.#on;
    const found = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(
      (id) => numberWithId(employees, digester, `E-${id}`) !== undefined,
    );
    assert.deepEqual(found, [...present].sort());
    assert.equal(employees.count, present.length);
    assert.deepEqual(
      pending.map(({ operationId, hold }) => [this.#numberOf(operationId), hold?.isApproved]),
      queue.map(({ of, hold }) => [of, hold?.isApproved]),
    );
    for (const [of, { status }] of Object.entries(imports))
      assert.equal((await knownImport(log, 7, this.#ids[Number(of)] ?? ''))?.status, status, of);
  }

  /** What the company's stream has gained is what one of the orders gives. */
  async #compare(allowed: readonly (readonly Command[])[]): Promise<void> {
    const events = (await recorded(this.#on.log, stream)).slice(this.#events);
    this.#events += events.length;
    const actual = events.filter(isKnown).map((event) => this.#described(event));
    const ends = allowed.map((commands) => {
      const model = structuredClone(this.model);
      return { model, expected: commands.flatMap((command) => step(model, command)) };
    });
    const end = ends.find(({ expected }) => expected.join() === actual.join());
    if (!end) assert.deepEqual(actual, ends[0]?.expected, JSON.stringify(allowed));
    else this.model = end.model;
  }

  #numberOf = (operationId: unknown): number => this.#ids.indexOf(String(operationId));

  #described(event: RecordedEvent): string {
    const { type } = event;
    const [data, metadata] = [dataOf(event), metadataOf(event)];
    const of = this.#numberOf(data['operationId']);
    const { inserted, removed, present, limit, outcome } = data;
    switch (type) {
      case 'CompanyConfigured':
        return words(type, this.#numberOf(metadata['operationId']));
      case 'ImportCancelled':
        return words(type, metadata['username'] === 'system' ? 'system' : 'user', of);
      case 'ImportHeld':
        return words(type, of, this.#outcome(of, outcome), inserted, removed, present, limit);
      case 'ImportApproved':
        return words(type, of, this.#outcome(of, outcome));
      case 'EmployeeSetReplaced':
        this.#outcome(of, words(inserted, data['updated'], removed, data['setDigest']).replaceAll(' ', '-'));
        return words(type, inserted, removed, of);
      default:
        return words(type.replace(/^ManagerRoles.*/, 'ManagerRoles'), of);
    }
  }

  /** What an import was held for first is what it is held for, approved and carried out as later. */
  #outcome(of: number, outcome: unknown): string {
    if (outcome === otherOutcome) return 'other';
    const real = this.#outcomes.get(of) ?? String(outcome);
    this.#outcomes.set(of, real);
    assert.equal(outcome, real);
    return 'real';
  }

  /** Whoever is told that a command changed something finds its event, and nobody else does. */
  async #run(command: Command, side: Side): Promise<void> {
    const operationId = randomUUID();
    this.#ids[command.of] = operationId;
    const receivedAt = new Date(this.#on.clock.now()).toISOString();
    const context = callContext({ operationId, receivedAt });
    if (command.what === 'run') {
      await side.engine.runOldest(7, { alone: true });
      return;
    }
    const changed = await ('target' in command
      ? this.#onImport(command, side.deps, context)
      : changes(command, side, context));
    const events = await recorded(this.#on.log, stream);
    const own = events.some((event) => metadataOf(event)['operationId'] === context.operationId);
    assert.equal(own, changed, `${JSON.stringify(command)} says whether it changed something`);
  }

  async #onImport(command: CommandOnImport, deps: ManageImportsDeps, context: CallContext): Promise<boolean> {
    const on = { companyId: 7, operationId: this.#ids[command.target] ?? '' };
    switch (command.what) {
      case 'approve':
      case 'reject': {
        const { what: decision, shown, target } = command;
        const outcomes = { real: this.#outcomes.get(target), other: otherOutcome };
        const outcome = shown === null ? undefined : outcomes[shown];
        return (await decideHeldImport(deps, context, { ...on, decision, outcome })).kind === 'decided';
      }
      case 'cancel':
        return (await cancelQueuedImport(deps, context, on)).kind === 'cancelled';
      case 'hold anew':
        return heldAnew(deps, context, on.operationId);
      case 'retry':
        return (await retryQueuedImport(deps, context, { ...on, force: command.force })).kind === 'queued';
      default:
        return command satisfies never;
    }
  }
}

const words = (...of: readonly unknown[]): string => of.map(String).join(' ');

async function changes(
  command: Exclude<Command, CommandOnImport | { what: 'run' }>,
  { engine, deps }: Side,
  context: CallContext,
): Promise<boolean> {
  if (command.what !== 'import') return configured(deps, context, command);
  const { ids, isAsync: prefersAsync } = command;
  const call = { context, prefersAsync };
  const asked =
    ids === null ? request('managers', roles(1), call) : request('employees', people(...ids), call);
  return (await engine.accept(asked)).kind !== 'refused';
}

async function configured(
  deps: ManageImportsDeps,
  context: CallContext,
  command: Extract<Command, { what: 'limit' | 'over' }>,
): Promise<boolean> {
  const isLimit = command.what === 'limit';
  const forMs = isLimit ? command.forMs : null;
  const until = new Date(Date.parse(context.receivedAt) + (forMs ?? 0)).toISOString();
  const outcome = await configureCompany(deps, context, {
    companyId: 7,
    changes: isLimit ? { batchLimit: command.limit } : { overLimit: command.overLimit },
    ...(forMs !== null && { batchLimitUntil: until }),
  });
  return outcome.kind === 'configured' && outcome.changed;
}

/** As a worker that found another set would have it. */
async function heldAnew(
  deps: ManageImportsDeps,
  context: CallContext,
  operationId: string,
): Promise<boolean> {
  const counts = { inserted: 0, updated: 0, removed: 0, present: 0, limit: 0, outcome: otherOutcome };
  const data = { operationId, kind: 'employees', ...counts } as const;
  const outcome = await decideAndAppend(deps, {
    stream,
    context,
    fold: companyFold(deps.digester),
    decide: (state) =>
      pendingOf(state, operationId)?.hold
        ? { kind: 'events', events: [{ name: 'ImportHeld', data }] }
        : { kind: 'nothing' },
  });
  return outcome.kind === 'appended';
}
