import {
  fromJson,
  readModelCollections,
  ReadModelsUnavailable,
  type CopySource,
  type DocumentWrite,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
} from '@rollcall/application';
import { buildMissing, projections, type AnyProjection } from '@rollcall/projector';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { withMembers } from '../support/with-members.js';
import { append, configured, contents, employeeSet, refused, survey, type Rig } from './projector.support.js';
import { failed, queued } from './import-events.support.js';

/** The version of all collections, these with a higher number. */
export const versionWith = (...raised: readonly string[]): string =>
  readModelCollections
    .map(({ name, version }) => `${name}:${version + (raised.includes(name) ? 1 : 0)}`)
    .join(' ');

export interface Building {
  readonly projections?: readonly AnyProjection[];
  readonly stop?: AbortController;
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export const build = ({ log }: Rig, readModels: ReadModels, options: Building = {}): Promise<void> => {
  const { stop = new AbortController() } = options;
  const run = { log, readModels, projections: options.projections ?? projections, signal: stop.signal };
  return buildMissing({ ...run, logger: silent, sleep: () => setTimeout(1) });
};

type Members = (generation: ReadModelGeneration) => Partial<ReadModelGeneration>;

/** The generation that a builder claims does as the test says. */
export const withBuilt = (store: ReadModels, change: Members): ReadModels =>
  withMembers(store, {
    claimBuild: async (...given) => {
      const turn = await store.claimBuild(...given);
      if (turn.kind !== 'claimed') return turn;
      return { ...turn, generation: withMembers(turn.generation, change(turn.generation)) };
    },
    newGeneration: async () => {
      const generation = await store.newGeneration();
      return withMembers(generation, change(generation));
    },
  });

/** Calls `before` in front of the copy of each collection. */
export const withCopies = (store: ReadModels, before: (collection: string) => Promise<void>): ReadModels =>
  withBuilt(store, (generation) => ({
    copySource: async () => {
      const source = await generation.copySource();
      return source && { ...source, copy: (...given) => before(given[0]).then(() => source.copy(...given)) };
    },
  }));

/** Notes the collections that a builder writes, and those that it copies. */
export function noting(store: ReadModels): {
  readonly store: ReadModels;
  readonly written: Set<string>;
  readonly copied: Set<string>;
} {
  const [written, copied] = [new Set<string>(), new Set<string>()];
  const note = (stages: readonly (readonly DocumentWrite[])[] = []): void => {
    for (const { collection } of stages.flat()) written.add(collection);
  };
  const copying = withCopies(store, (collection) => Promise.resolve(void copied.add(collection)));
  const noted = withBuilt(copying, (generation) => ({
    write: (stages) => (note(stages), generation.write(stages)),
    advance: (...given) => (note(given[2]?.documents), generation.advance(...given)),
  }));
  return { store: noted, written, copied };
}

/** A builder that does nothing any more from its `calls`th call on. */
export function dying(
  store: ReadModels,
  calls: number,
): { readonly store: ReadModels; stop: AbortController } {
  const stop = new AbortController();
  let left = calls;
  const step = <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left > 0) return work();
    stop.abort();
    return Promise.reject(new ReadModelsUnavailable('killed'));
  };
  const dyingSource = (source: CopySource): CopySource => ({
    ...source,
    copy: (...given) => step(() => source.copy(...given)).then(() => step(() => Promise.resolve())),
  });
  const members: Members = (generation) => ({
    newest: (...given) => step(() => generation.newest(...given)),
    write: (...given) => step(() => generation.write(...given)),
    advance: (...given) => step(() => generation.advance(...given)),
    copySource: () => step(() => generation.copySource()).then((source) => source && dyingSource(source)),
    renewClaim: () => (left > 0 ? generation.renewClaim() : Promise.resolve()),
    releaseClaim: () => (left > 0 ? generation.releaseClaim() : Promise.resolve()),
    switchTo: () => step(() => generation.switchTo()),
    drop: () => step(() => generation.drop()),
  });
  return { store: withBuilt(store, members), stop };
}

/** Of one of three companies: changed and new employees who are invited, surveys, imports, refusals. */
export async function appendEvent(on: Rig, n: number): Promise<void> {
  const companyId = 101 + (n % 3);
  const stream = `company-${companyId}`;
  const number = 1 + Math.floor(n / 3);
  const name = `Name ${n}`;
  const due = '2027-01-01T00:00:00Z';
  const changed = number > 1 ? [{ number: 1, id: 'E1', name }] : [];
  const set = {
    added: [{ number, id: `E${number}`, name, due }],
    changed,
    total: number,
    lastNumber: number,
  };
  if (n < 3) await append(on, stream, configured(companyId, name), { companyId });
  await append(on, stream, employeeSet(set), { companyId });
  const id = 901 + (n % 5);
  if (n % 4 === 0) await append(on, `survey-${id}`, survey(id, name, companyId), { companyId });
  const operation = randomUUID();
  if (n % 4 === 1) await append(on, stream, queued(operation), { companyId, operationId: operation });
  if (n % 8 === 5) await append(on, stream, failed(operation), { companyId, operationId: operation });
  if (n % 4 === 2) await append(on, `operation-${n}`, refused(), { companyId });
}

/** All documents with their revisions, the heads of streams too, and what the indexes give. */
export async function everything(store: ReadModelReader): Promise<string[]> {
  const all = await contents(store);
  const companies = new Set<number>();
  for (const { name } of readModelCollections.filter((one) => one.name !== 'employee-blocks'))
    for await (const { key, revision, value } of store.find(name, { prefix: [] })) {
      all.push(
        `${name} ${key.join()} ${revision} ${name === 'streams' ? JSON.stringify(fromJson(value)) : ''}`,
      );
      companies.add(Number(key[0]));
    }
  for (const company of companies)
    if (!Number.isNaN(company))
      for await (const { key } of store.findByIndex('invitation-progress', 'due', { prefix: [company] }))
        all.push(`due ${key.join()}`);
  for await (const { key } of store.findByIndex('invitation-plans', 'position', { prefix: [] }))
    all.push(`position ${key.join()}`);
  return all;
}
