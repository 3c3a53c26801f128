import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createLogger, openImportPool } from '@rollcall/host';
import { openEmbeddedQueue, openKeys, openStores } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import { newWorkerCounts, resendStalledImports, runWorker } from '@rollcall/worker';

import { dice } from '../faults/caller.js';
import { chaoticQueue } from './chaotic-queue.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** A worker as production runs it, with a queue as bad as can be, and in haste: its deadlines are short. */
const haste = 40;
const dataDir = process.env['DATA_DIR'] ?? '';
const ackDeadlineMs = Number(process.env['ACK_DEADLINE_MS']);

const config = embeddedAdapters(dataDir);
const { log, readModels } = await openStores(config);
const { digestKey } = await openKeys({ folder: join(dataDir, 'keys') });
const runner = openImportPool(
  { adapters: config, digestKey, cacheBytes: 8 * 1024 * 1024 },
  { log, readModels, clock: systemClock },
);
const queue = chaoticQueue(
  await openEmbeddedQueue({ folder: join(dataDir, 'queue'), ackDeadlineMs }),
  dice(Number(process.env['TEST_SEED'])),
);
const logger = createLogger(process.env['LOG_LEVEL'] ?? 'silent');
const counts = newWorkerCounts();
const { signal } = new AbortController();
const sleep = (ms: number): Promise<void> => wait(ms / haste);
process.stdout.write('The worker runs\n');
await Promise.all([
  runWorker({ queue, runner, counts, logger, concurrency: 4, signal, sleep }),
  resendStalledImports({
    log,
    queue,
    readModels,
    counts,
    logger,
    clock: { now: () => performance.now() * haste },
    wallClock: systemClock,
    signal,
    sleep,
  }),
]);
