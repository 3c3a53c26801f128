import type { ImportHeld, ImportKind } from '@rollcall/contracts';
import { holdEnds } from '@rollcall/domain';
import { batched } from '../grouped-by.js';
import type { IndexOptions, ReadModelReader } from '../ports/read-models.js';
import { callStates, stateIndex } from './call-row.js';
import { apiCallsCollection, fromJson } from './documents.js';

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

type Reader = Pick<ReadModelReader, 'findByIndex' | 'getMany'>;

const documentIn = (value: Uint8Array | undefined) => fromJson(value) as PendingImportDocument | undefined;

/** By company, then in the order in which they run. Found by open calls: a walk of the collection passes the tombstones of all ended ones. */
export async function readPendingImports(
  readModels: Reader,
  companyId?: number,
  calls: Pick<IndexOptions, 'from' | 'limit'> = {},
): Promise<readonly PendingImportDocument[]> {
  const [index, prefix] = stateIndex(companyId, callStates.open);
  const found: PendingImportDocument[] = [];
  for await (const some of batched(readModels.findByIndex(apiCallsCollection, index, { ...calls, prefix }))) {
    const keys = some.map(({ key }) => key);
    const pending = await readModels.getMany(pendingImportsCollection, keys, documentIn);
    found.push(...pending.filter((one) => one !== undefined));
  }
  return found.sort((one, other) => one.companyId - other.companyId || one.revision - other.revision);
}

/** The operation of a company's import that waits for a decision, then those that wait behind it. */
export async function heldAndBehind(readModels: Reader, companyId: number): Promise<readonly string[]> {
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
