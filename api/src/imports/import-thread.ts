import { MessageChannel, workerData } from 'node:worker_threads';
import {
  type AdaptersConfig,
  CompanyStates,
  EventLogUnavailable,
  openAdapters,
  systemClock,
} from '@rollcall/adapters';
import { Digester } from '@rollcall/domain';
import type { ReadModelReader } from '@rollcall/adapters';
import { ImportEngine } from './import-engine.js';
import type { EmployeeImportOutcome, EmployeeImportRequest } from './outcome.js';

/** What a thread is started with. */
export interface ImportThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  /** How much the company states of this thread may weigh together. */
  readonly cacheBytes: number;
}

/** An answer that survives the way between threads: errors lose their class there. */
export type ImportThreadAnswer =
  | { readonly status: 'settled'; readonly outcome: EmployeeImportOutcome }
  | {
      readonly status: 'failed';
      readonly isOutage: boolean;
      readonly message: string;
      readonly stack: string;
    };

async function findIds(
  readModels: ReadModelReader,
  companyId: number,
  numbers: readonly number[],
): Promise<string[]> {
  const rows = await readModels.getMany(
    'employees',
    numbers.map((number) => [companyId, number] as const),
  );
  return rows.flatMap((row) => (row === undefined ? [] : [employeeIdOf(row)]));
}

function employeeIdOf(row: Uint8Array): string {
  const { EmployeeID } = JSON.parse(Buffer.from(row).toString()) as { EmployeeID: string };
  return EmployeeID;
}

async function openEngine({ adapters, digestKey, cacheBytes }: ImportThreadData): Promise<ImportEngine> {
  const { log, readModels } = await openAdapters(adapters);
  const digester = new Digester(digestKey);
  const states = new CompanyStates({ log, readModels, digester, cacheBytes });
  return new ImportEngine({
    log,
    clock: systemClock,
    digester,
    states,
    spoolFolder: adapters.dataDir,
    findIds: (companyId, numbers) => findIds(readModels, companyId, numbers),
  });
}

/** Opened when the thread starts, so that the first call does not wait for it; a failure is told by the call. */
let engine = openEngine(workerData as ImportThreadData);
engine.catch(() => undefined);

/** The engine; opened once more where that failed before. */
function opened(): Promise<ImportEngine> {
  engine = engine.catch(() => openEngine(workerData as ImportThreadData));
  return engine;
}

/** Nobody listens at its other end. */
const { port1: nowhere, port2: end } = new MessageChannel();
end.close();
nowhere.unref();

/** Gives the memory of a body back now: a collector of garbage would come for it at some later call. */
function discard(buffer: ArrayBuffer): void {
  nowhere.postMessage(undefined, [buffer]);
}

/** The task of the pool: runs one call. */
export default async function runImport(request: EmployeeImportRequest): Promise<ImportThreadAnswer> {
  try {
    return { status: 'settled', outcome: await (await opened()).run(request) };
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    return { status: 'failed', isOutage: error instanceof EventLogUnavailable, message, stack };
  } finally {
    discard(request.body.buffer);
  }
}
