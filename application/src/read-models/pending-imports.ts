import type { ImportHeld, ImportKind } from '@rollcall/contracts';
import { holdEnds } from '@rollcall/domain';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from './documents.js';

/** [companyId, operationId] -> `PendingImportDocument`. */
export const pendingImportsCollection = 'pending-imports';

export interface PendingImportDocument {
  readonly operationId: string;
  readonly companyId: number;
  readonly kind: ImportKind;
  /** Of its `ImportQueued`: the order in which a company's imports run. */
  readonly revision: number;
  readonly method: string;
  readonly userId: number | null;
  readonly username: string;
  /** `recordedAt` of its `ImportQueued`. */
  readonly queuedAt: string;
  readonly elements: number;
  /** Undefined where it was never held. */
  readonly hold?: ShownHold;
}

/** The newest hold, and whether somebody has approved it. */
export interface ShownHold extends Omit<ImportHeld, 'operationId' | 'kind'> {
  readonly since: string;
  readonly isApproved: boolean;
}

/** It waits for a decision. */
export const awaitsDecision = ({ hold }: Pick<PendingImportDocument, 'hold'>): boolean =>
  hold !== undefined && !hold.isApproved;

/** By company, then in the order in which they run. With `limit`, only those whose operations came first. */
export async function readPendingImports(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId?: number,
  limit?: number,
): Promise<readonly PendingImportDocument[]> {
  const range = { prefix: companyId === undefined ? [] : [companyId], ...(limit !== undefined && { limit }) };
  const found: PendingImportDocument[] = [];
  for await (const { value } of readModels.find(pendingImportsCollection, range))
    found.push(fromJson(value) as PendingImportDocument);
  return found.sort((one, other) => one.companyId - other.companyId || one.revision - other.revision);
}

/** The operation of a company's import that waits for a decision, then those that wait behind it. */
export async function heldAndBehind(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
): Promise<readonly string[]> {
  const pending = await readPendingImports(readModels, companyId);
  return pending.slice(notBehindHolds(pending).length).map(({ operationId }) => operationId);
}

/** It waits for a decision, and its time is not over. */
export const mayBeDecidedAt = (pending: PendingImportDocument, now: number): boolean =>
  pending.hold !== undefined && awaitsDecision(pending) && now < holdEnds(pending.hold);

/** Those that do not wait for a decision, their own or of one before them. */
export function notBehindHolds(pending: readonly PendingImportDocument[]): readonly PendingImportDocument[] {
  const firsts = new Map(
    pending.filter(awaitsDecision).map(({ companyId, revision }) => [companyId, revision]),
  );
  return pending.filter(({ companyId, revision }) => revision < (firsts.get(companyId) ?? Infinity));
}
