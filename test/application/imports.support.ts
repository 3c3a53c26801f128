import { createHash, randomUUID } from 'node:crypto';
import {
  chainOf,
  type Clock,
  companyFold,
  CompanyStateCache,
  configureCompany,
  decideAndAppend,
  type EventLog,
  foldStream,
  ImportEngine,
  type ImportEngineOptions,
  type ImportOutcome,
  type ImportRequest,
  type ManageImportsDeps,
  type RecordedEvent,
  type RunResult,
  withChain,
} from '@rollcall/application';

import {
  parseStoredType,
  type CallContext,
  type CompanySettings,
  type DomainEvent,
  type ImportKind,
} from '@rollcall/contracts';
import type { CompanyState } from '@rollcall/domain';
import { Digester } from '@rollcall/employee-lists';
import { openRig, type Ending, type Rig } from '../support/rig.js';
import { callContext, noSleep, scripted, type ScriptedLog } from './decide-and-append.support.js';

export const stream = 'company-7';

/** Counts the shares in the set digest that decisions compute: a decision made twice shows. */
export class CountingDigester extends Digester {
  shares = 0;

  override memberDigest(...args: Parameters<Digester['memberDigest']>): Uint32Array {
    this.shares += 1;
    return super.memberDigest(...args);
  }
}

export interface Company extends Rig {
  readonly log: ScriptedLog;
  readonly digester: CountingDigester;
  /** As another process has it: with a cache of its own. */
  readonly engine: (change?: Partial<ImportEngineOptions>) => ImportEngine;
}

type Entries = readonly { readonly number: number; readonly values: object }[];

/** As the read models have them once all is projected; of large events as their numbers say. */
async function rowsIn(
  log: EventLog,
  { kind, companyId, numbers }: { kind: ImportKind; companyId: number; numbers: readonly number[] },
) {
  const rows = new Map(numbers.map((n) => [n, { ...roles(n).ManagerRoles[0], ...people(n)[0] }]));
  const lists = kind === 'employees' ? ['added', 'changed', 'restored'] : ['usersCreated', 'usersRenamed'];
  for await (const { data } of log.readStream(`company-${companyId}`)) {
    const event = JSON.parse(Buffer.from(data).toString()) as Readonly<Record<string, Entries | undefined>>;
    for (const { number, values } of lists.flatMap((list) => event[list] ?? []))
      rows.set(number, kind === 'employees' ? values : { ...rows.get(number), ...values });
  }
  return numbers.map((number) => ({ ...rows.get(number) }));
}

/** An engine on a rig, as another process has it: with a cache of its own. */
export function engineOn(
  { folder, log, snapshots, clock }: Omit<Rig, 'clock' | 'readModels'> & { readonly clock: Clock },
  digester: Digester,
  change: Partial<ImportEngineOptions> = {},
): ImportEngine {
  return new ImportEngine({
    log,
    clock,
    digester,
    states: new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 }),
    findRows: (kind, companyId, numbers) => rowsIn(log, { kind, companyId, numbers }),
    temporaryFolder: folder,
    rules: 'of the test',
    processId: 'one-process',
    sleep: noSleep,
    ...change,
  });
}

/** Company 7, which may import, in a log whose appends go wrong as its script says. */
export async function company(t: Ending, settings: Partial<CompanySettings> = {}): Promise<Company> {
  const rig = await openRig(t);
  const on = { ...rig, log: scripted(rig.log), digester: new CountingDigester(Buffer.alloc(32, 5)) };
  await configure(on, { integrationEnabled: true, departmentDimensions: ['Unit'], ...settings });
  return { ...on, engine: (change) => engineOn(on, on.digester, change) };
}

export async function configure(
  { log, clock }: Pick<Company, 'log' | 'clock'>,
  changes: Partial<CompanySettings>,
  companyId = 7,
): Promise<void> {
  await configureCompany({ log, clock }, callContext(), { companyId, changes });
}

export const people = (...ids: readonly number[]) =>
  ids.map((id) => ({
    EmployeeID: `E-${id}`,
    Firstname: 'Ada',
    Lastname: 'Example',
    Email: `e${id}@example.com`,
    EmploymentStatus: 0,
  }));

export const roles = (...ids: readonly number[]) => ({
  ManagerRoles: ids.map((id) => ({
    DimensionName: 'Unit',
    DepartmentName: `D${id}`,
    FirstName: 'Ada',
    LastName: 'Example',
    Email: `e${id}@example.com`,
  })),
});

export interface CallOptions extends Partial<Omit<ImportRequest, 'context' | 'body'>> {
  readonly context?: Partial<CallContext>;
  /** An Idempotency-Key. */
  readonly key?: string;
}

/** A call with this body; text goes as it is. */
export function request(kind: ImportKind, value: unknown, options: CallOptions = {}): ImportRequest {
  const { context, key, ...others } = options;
  const body = new Uint8Array(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const idempotency = key === undefined ? {} : { idempotency: { keyHash: key, bodySha256 } };
  return {
    kind,
    companyId: 7,
    context: callContext({ ...idempotency, ...context }),
    method: 'PUT',
    body,
    bodySha256,
    dryRun: false,
    prefersAsync: false,
    ifMatch: null,
    ...others,
  };
}

/** What commands on imports need, as the command line has it. */
export const manage = ({ log, snapshots, digester, clock }: Company): ManageImportsDeps => ({
  log,
  clock,
  digester,
  states: new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 }),
  sleep: noSleep,
});

/** Queues a list; its operation. */
export async function queue(
  engine: ImportEngine,
  kind: ImportKind,
  value: unknown,
  options: CallOptions = {},
): Promise<string> {
  const outcome = await engine.accept(request(kind, value, { prefersAsync: true, ...options }));
  if (outcome.kind !== 'queued') throw new Error(`the call is ${outcome.kind}`);
  return outcome.operationId;
}

/** The events of a stream, their types without the version. */
export async function recorded(log: ScriptedLog, name: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of log.readStream(name)) {
    const type = parseStoredType(event.type)?.name ?? event.type;
    events.push({ ...event, type });
  }
  return events;
}

/** Names of the events of a stream, in order. */
export const names = async (log: ScriptedLog, name = stream): Promise<string[]> =>
  (await recorded(log, name)).map(({ type }) => type);

/** The data of an event; an empty object for one that is not there. */
export const dataOf = (event: RecordedEvent | undefined): Record<string, unknown> =>
  event === undefined ? {} : (JSON.parse(Buffer.from(event.data).toString()) as Record<string, unknown>);

export const metadataOf = (event: RecordedEvent | undefined): Record<string, unknown> =>
  event === undefined ? {} : (JSON.parse(Buffer.from(event.metadata).toString()) as Record<string, unknown>);

/** What the log says of the company, folded from the beginning. */
export const stateOf = async ({ log }: Pick<Company, 'log'>): Promise<CompanyState> =>
  (await foldStream(log, stream, companyFold(new Digester(Buffer.alloc(32, 5))))).state;

/** Appends to the company's stream what others would. */
export async function append(
  { log, clock }: Pick<Company, 'log' | 'clock'>,
  event: DomainEvent,
  context: Partial<CallContext> = {},
): Promise<void> {
  await decideAndAppend(
    { log, clock },
    {
      stream,
      context: callContext(context),
      fold: { initial: () => null, evolve: () => null },
      decide: () => ({ kind: 'events', events: [event] }),
    },
  );
}

/** What a newer version might write: the chain holds, and nobody here knows the type. */
export async function appendUnknown(log: ScriptedLog): Promise<void> {
  const last = await log.readLast(stream);
  if (!last) throw new Error('the company has no event');
  const { chain, ...metadata } = metadataOf(last);
  const [revision, id, type, data] = [last.revision + 1, randomUUID(), 'EmployeesMerged', Buffer.from('{}')];
  const text = JSON.stringify(metadata);
  const next = chainOf(String(chain), { stream, revision, id, type, data, metadata: text });
  const event = {
    id,
    type,
    contentType: 'json',
    data,
    metadata: Buffer.from(withChain(text, next)),
  } as const;
  await log.append(stream, last.revision, [event]);
}

/** Runs until nothing is pending. */
export async function runAll(engine: ImportEngine): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for (;;) {
    const result = await engine.runOldest(7);
    if (result.kind === 'idle') return results;
    results.push(result);
  }
}

export const payloads = async (log: ScriptedLog): Promise<string[]> => {
  const found: string[] = [];
  for await (const { stream: name } of log.listStreams('payload-')) found.push(name);
  return found;
};

export function done(outcome: ImportOutcome): [number, number, number] {
  if (outcome.kind !== 'done') throw new Error(`the call is ${outcome.kind}`);
  const { inserted, updated, removed } = outcome.counts;
  return [inserted, updated, removed];
}
