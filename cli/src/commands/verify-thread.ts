import { parentPort, workerData } from 'node:worker_threads';
import { openStores } from '@rollcall/adapters';
import { verifyReadModels } from '@rollcall/projector';
import type { VerifyThreadData } from './verify-beside.js';

const { adapters, callTerm, shared } = workerData as VerifyThreadData;

/** Shows how far it is, and ends the work where nobody waits for it any more. */
function note(at: 'read' | 'compared', value: bigint): void {
  if (shared[0] !== 0n) throw new Error('the read models need not be verified');
  shared[at === 'read' ? 1 : 2] = value;
}

const stores = await openStores(adapters);
try {
  const verdict = await verifyReadModels({
    ...{ log: stores.log, readModels: stores.readModels, callTerm },
    onRead: (position) => note('read', position),
    onCompared: (collection) => note('compared', BigInt(collection)),
  });
  parentPort?.postMessage(verdict);
} finally {
  await stores.close();
}
