import type { CountRange, ReadModelReader } from '../ports/read-models.js';
import { calledAt, callStates } from '../read-models/call-row.js';
import { apiCallsCollection } from '../read-models/documents.js';
import { changesBack } from '../read-models/employee-changes.js';
import { invitationCollections, invitationEndings, type InvitationEnding } from '../invitations/documents.js';
import { idFrom, type ListReader, type ListedImport, maxLooked, newestFirst } from './import-list.js';

/** Moments (ms) that rise; a bucket lies between two of them, its first one included. */
export type Edges = readonly number[];

type Counter = Pick<ReadModelReader, 'count'>;

/** One number less than edges. */
const bucketsOf = <T>(edges: Edges, range: (from: number, to: number) => T): readonly T[] =>
  edges.slice(1).map((to, at) => range(edges[at] ?? 0, to));

/** An index that orders by negated moments, the newest first. */
const aged = (index: string, prefix: readonly number[], edges: Edges): readonly CountRange[] =>
  bucketsOf(edges, (from, to) => ({ index, from: [...prefix, 1 - to], to: [...prefix, 1 - from] }));

const minus = (counts: readonly number[], less: readonly number[]): readonly number[] =>
  counts.map((count, at) => Math.max(0, count - (less[at] ?? 0)));

interface ActivityQuery {
  readonly companyId?: number | undefined;
  readonly edges: Edges;
}

/** Imports by when the calls came. `failed`: refused, cancelled and rejected ones too. */
export async function importActivity(readModels: Counter, { companyId, edges }: ActivityQuery) {
  const count = (ranges: readonly CountRange[]) => readModels.count(apiCallsCollection, ranges);
  const [index, prefix] = companyId === undefined ? ['state', []] : ['companyState', [companyId]];
  const inState = (code: number) => count(aged(index, [...prefix, code], edges));
  const ofCompany = (id: number): readonly CountRange[] =>
    bucketsOf(edges, (from, to) => ({ from: [id, idFrom(from)], to: [id, idFrom(to)] }));
  const [all, open, ...bad] = await Promise.all([
    count(companyId === undefined ? aged('time', [], edges) : ofCompany(companyId)),
    ...[callStates.open, callStates.failed, callStates.refused, callStates.cancelled].map(inState),
  ]);
  const none = edges.slice(1).map(() => 0);
  const failed = bad.reduce((sums, counts) => sums.map((sum, at) => sum + (counts[at] ?? 0)), none);
  return { done: minus(minus(all, open ?? none), failed), failed };
}

/** Invitations by when they were sent, or failed for good. */
export function invitationActivity(
  readModels: Counter,
  { companyId, edges, ending }: ActivityQuery & { readonly ending: InvitationEnding },
): Promise<readonly number[]> {
  const [index, company] = companyId === undefined ? ['allEnded', []] : ['ended', [companyId]];
  const ranges = aged(index, [...company, invitationEndings[ending]], edges);
  return readModels.count(invitationCollections.progress, ranges);
}

interface CompanyAttention {
  readonly companyId: number;
  readonly held: readonly ListedImport[];
  /** Failed since then; imports that were refused at once are the caller's. */
  readonly failed: number;
  /** When the oldest import came that is queued or running (ms), those behind a held one excluded. */
  readonly oldest: number | undefined;
}

/** Companies with imports that need somebody, or are under way; by id. `looked`: over `maxLooked` older imports may be left out. */
export async function importsAttention(
  readModels: ListReader,
  { companyId, since }: { readonly companyId?: number | undefined; readonly since: number },
) {
  const byCompany = new Map<number, { held: ListedImport[]; failed: number; oldest: number | undefined }>();
  const [limit, looked] = [maxLooked, { waiting: 0, failed: 0 }];
  const of = (id: number, state: keyof typeof looked) => {
    looked[state] += 1;
    const known = byCompany.get(id) ?? { held: [], failed: 0, oldest: undefined };
    byCompany.set(id, known);
    return known;
  };
  for await (const one of newestFirst(readModels, { companyId, state: 'waiting', limit })) {
    const company = of(one.companyId, 'waiting');
    if (one.state === 'held') company.held.push(one);
    company.oldest = one.state === 'held' ? undefined : calledAt(one.operationId);
  }
  for await (const one of newestFirst(readModels, { companyId, state: 'failed', from: since, limit }))
    of(one.companyId, 'failed').failed += 1;
  const companies: readonly CompanyAttention[] = [...byCompany]
    .map(([id, company]) => ({ companyId: id, ...company }))
    .sort((one, other) => one.companyId - other.companyId);
  return { companies, looked: Math.max(looked.waiting, looked.failed) };
}

/** Invitations that have failed for good in one bucket, by company. Of all companies the newest ones; `looked`: as of imports. */
export async function failedByCompany(readModels: Counter & ListReader, { companyId, edges }: ActivityQuery) {
  const counts = new Map<number, number>();
  let looked = 0;
  if (companyId !== undefined) {
    const [count = 0] = await invitationActivity(readModels, { companyId, edges, ending: 'failed' });
    return { counts: counts.set(companyId, count), looked };
  }
  const options = { prefix: [invitationEndings.failed], upTo: -(edges[0] ?? 0), limit: maxLooked + 1 };
  for await (const { key } of readModels.findByIndex(invitationCollections.progress, 'allEnded', options)) {
    looked += 1;
    counts.set(Number(key[0]), (counts.get(Number(key[0])) ?? 0) + 1);
  }
  return { counts, looked };
}

interface Headcount {
  /** At this moment (ms). */
  readonly at: number;
  readonly total: number;
}

/** The company's employees at these moments, which rise, as the read models show them. */
export async function headcount(
  readModels: Pick<ReadModelReader, 'findBatches'>,
  { companyId, moments }: { readonly companyId: number; readonly moments: readonly number[] },
): Promise<readonly Headcount[]> {
  const left = [...moments];
  const found: Headcount[] = [];
  const reach = (change: number, total: number): void => {
    for (let at = left.at(-1); at !== undefined && at >= change; at = left.at(-1)) {
      found.unshift({ at, total });
      left.pop();
    }
  };
  const upTo = (): number => left.at(-1) ?? -Infinity;
  for await (const changes of changesBack(readModels, companyId, { upTo })) {
    for (const [, at, total] of changes) reach(at, total);
    if (left.length === 0) break;
  }
  if (found.length > 0) reach(-Infinity, 0);
  return found;
}
