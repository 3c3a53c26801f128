import type { ReadModelReader } from '../ports/read-models.js';
import { calledAt } from '../read-models/call-row.js';
import { changesBack } from '../read-models/employee-changes.js';
import { invitationCollections, invitationEndings, type InvitationEnding } from '../invitations/documents.js';
import { type ListReader, type ListedImport, newestFirst } from './import-list.js';

/** Moments (ms) that rise; a bucket lies between two of them, its first one included. */
export type Edges = readonly number[];

export interface Tally {
  /** One number less than edges. */
  readonly counts: readonly number[];
  /** Not everything was counted: there is more than this looks at. */
  readonly isPartial: boolean;
}

/** What one tally looks at. */
const maxTallied = 50_000;

class Buckets {
  readonly counts: number[];
  readonly #edges: Edges;

  constructor(edges: Edges) {
    this.#edges = edges;
    this.counts = edges.slice(1).map(() => 0);
  }

  add(at: number): void {
    const bucket = this.#edges.findLastIndex((edge) => edge <= at);
    if (bucket >= 0 && bucket < this.counts.length) this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }
}

const rangeOf = (edges: Edges) => ({ from: edges[0] ?? 0, to: edges.at(-1) ?? 0 });

export interface ImportActivity {
  readonly done: Tally;
  /** Failed, refused, cancelled or rejected. */
  readonly failed: Tally;
}

/** Imports by when the calls came. `companyId` undefined: of all companies. */
export async function importActivity(
  readModels: ListReader,
  { companyId, edges }: { readonly companyId?: number | undefined; readonly edges: Edges },
): Promise<ImportActivity> {
  const [done, failed] = [new Buckets(edges), new Buckets(edges)];
  let looked = 0;
  for await (const one of newestFirst(readModels, { companyId, ...rangeOf(edges), limit: maxTallied })) {
    looked += 1;
    const isUnderWay = one.CompletedOn === null;
    if (!isUnderWay) (one.state === 'done' ? done : failed).add(calledAt(one.operationId));
    if (looked >= maxTallied) break;
  }
  const isPartial = looked >= maxTallied;
  return { done: { counts: done.counts, isPartial }, failed: { counts: failed.counts, isPartial } };
}

/** Invitations by when they were sent, or failed for good. */
export async function invitationActivity(
  readModels: Pick<ReadModelReader, 'findByIndex'>,
  query: { readonly companyIds: readonly number[]; readonly ending: InvitationEnding; readonly edges: Edges },
): Promise<Tally> {
  const { companyIds, ending, edges } = query;
  const [buckets, { from, to }] = [new Buckets(edges), rangeOf(edges)];
  let looked = 0;
  for (const companyId of companyIds) {
    const limit = maxTallied - looked;
    const found = readModels.findByIndex(invitationCollections.progress, 'ended', {
      prefix: [companyId, invitationEndings[ending]],
      from: 1 - to,
      upTo: -from,
      limit,
    });
    for await (const { value } of found) {
      buckets.add(endedAt(value));
      looked += 1;
    }
    if (looked >= maxTallied) break;
  }
  return { counts: buckets.counts, isPartial: looked >= maxTallied };
}

/** Faster than reading the document: a first load may have sent 100,000 of them. */
function endedAt(document: Uint8Array): number {
  const text = Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString('latin1');
  return Date.parse(/"(?:sentAt|failedAt)":"(?<at>[^"]+)"/.exec(text)?.groups?.['at'] ?? '');
}

export interface CompanyAttention {
  readonly companyId: number;
  readonly held: readonly ListedImport[];
  /** Failed since then; imports that were refused at once are the caller's. */
  readonly failed: number;
  /** When the oldest import came that is queued or running (ms). */
  readonly oldest: number | undefined;
}

const maxAttention = 2_000;

/** Companies with imports that need somebody, or are under way; by id. */
export async function importsAttention(
  readModels: ListReader,
  { companyId, since }: { readonly companyId?: number | undefined; readonly since: number },
): Promise<readonly CompanyAttention[]> {
  const byCompany = new Map<number, { held: ListedImport[]; failed: number; oldest: number | undefined }>();
  const of = (id: number) => {
    const known = byCompany.get(id) ?? { held: [], failed: 0, oldest: undefined };
    byCompany.set(id, known);
    return known;
  };
  const limit = maxAttention;
  for await (const one of newestFirst(readModels, { companyId, state: 'waiting', limit })) {
    const company = of(one.companyId);
    if (one.state === 'held') company.held.push(one);
    else company.oldest = calledAt(one.operationId);
  }
  for await (const one of newestFirst(readModels, { companyId, state: 'failed', from: since, limit }))
    of(one.companyId).failed += 1;
  return [...byCompany]
    .map(([id, company]) => ({ companyId: id, ...company }))
    .sort((one, other) => one.companyId - other.companyId);
}

export interface Headcount {
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
  for await (const changes of changesBack(readModels, companyId)) {
    for (const [, at, total] of changes) reach(at, total);
    if (left.length === 0) break;
  }
  if (found.length > 0) reach(-Infinity, 0);
  return found;
}
