import type { ImportKind } from '@rollcall/contracts';
import type { ReadModelReader } from '../ports/read-models.js';

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
}

/** By company, then in the order in which they run. */
export async function readPendingImports(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId?: number,
): Promise<readonly PendingImportDocument[]> {
  const prefix = companyId === undefined ? [] : [companyId];
  const found: PendingImportDocument[] = [];
  for await (const { value } of readModels.find(pendingImportsCollection, { prefix }))
    found.push(JSON.parse(Buffer.from(value).toString()) as PendingImportDocument);
  return found.sort((one, other) => one.companyId - other.companyId || one.revision - other.revision);
}
