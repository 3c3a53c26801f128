import type { CliIo } from '../cli-io.js';
import type { Check } from './check.js';
import { clockCheck } from './clock-checks.js';
import { checkConfig } from './config.js';
import { hostChecks } from './host-checks.js';
import { keyChecks } from './key-checks.js';
import { storeChecks, type OpenedStores } from './stores.js';
import { workChecks } from './work-checks.js';

/** All checks in order; those that need an unavailable store are left out. */
export async function* examine(io: CliIo): AsyncIterable<Check> {
  const { check, config } = checkConfig(io.env);
  yield check;
  if (config === undefined) return;
  yield* hostChecks(config.adapters.dataDir);
  const stores: OpenedStores = { opened: [], found: new Map(), say: (line) => io.err(`${line}\n`) };
  try {
    yield* storeChecks(io, config, stores);
    const { log, readModels } = stores;
    yield await clockCheck(stores, io.clock.now());
    yield* keyChecks(config, log);
    if (log && readModels) yield* workChecks({ log, readModels, clock: io.clock });
  } finally {
    await Promise.all(stores.opened.map((store) => store.close()));
  }
}
