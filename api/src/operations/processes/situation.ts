import {
  type Anchor,
  isOutage,
  type LogProof,
  newestAnchor,
  type PendingImportDocument,
  readPendingImports,
  readProof,
} from '@rollcall/application';
import { askProcesses, type FoundProcess, readModelLag } from '@rollcall/host';
import type { RouteDependencies } from '../../route-dependencies.js';

const patienceMs = 2_000;

export interface Situation {
  /** Age (ms) of the oldest event that is not shown; 0 where all are. */
  readonly lagMs: number | undefined;
  readonly pending: readonly PendingImportDocument[] | undefined;
  readonly processes: readonly FoundProcess[];
  readonly proof: LogProof | undefined;
  readonly anchor: Anchor | undefined;
}

/** Undefined where the store does not answer. */
export const orUnknown = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (isOutage(error)) return undefined;
    throw error;
  });

const lagOf = (kit: RouteDependencies): Promise<number | undefined> =>
  readModelLag(kit, AbortSignal.timeout(patienceMs)).then(
    ({ ms }) => ms,
    () => undefined,
  );

export async function readSituation(kit: RouteDependencies): Promise<Situation> {
  const { log, readModels, snapshots, config } = kit;
  const [lagMs, pending, processes, proof, anchor] = await Promise.all([
    lagOf(kit),
    orUnknown(readPendingImports(readModels)),
    config.processAddresses.length === 0
      ? []
      : askProcesses({}, config.processAddresses).then((asked) => asked.processes),
    snapshots && orUnknown(readProof({ log, snapshots })),
    orUnknown(newestAnchor(log)),
  ]);
  return { lagMs, pending, processes, proof, anchor };
}
