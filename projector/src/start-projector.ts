import { systemClock, type ProcessLogger } from '@rollcall/application/read';
import { noTracing, type ReadingAdapters, type Closable, type Tracing } from '@rollcall/adapters/read';

import { Digester } from '@rollcall/domain';
import { projections } from './projections/index.js';
import { buildMissing } from './build-missing.js';
import { Relay } from './relay.js';
import { RelaySpans } from './relay-spans.js';
import { runProjector } from './run-projector.js';
import { CompanySnapshots } from './snapshots.js';
import { runSweeper } from './sweeper.js';

/** How much the company states that become snapshots may weigh together. */
const cacheBytes = 64 * 1024 * 1024;

export interface StartProjectorOptions {
  readonly adapters: ReadingAdapters;
  readonly digestKey: Uint8Array;
  readonly logger: ProcessLogger;
  readonly tracing?: Tracing;
}

/**
 * Everything that follows the log: projections, state snapshots, the relay and the sweeper, until it is closed; that ends
 * after what is being applied. Each of them mends itself.
 */
export function startProjector(options: StartProjectorOptions): Closable {
  const { adapters, digestKey, logger, tracing = noTracing } = options;
  const { log, readModels, queue } = adapters;
  const stop = new AbortController();
  const { signal } = stop;
  const snapshots = new CompanySnapshots({
    log,
    snapshots: adapters.snapshots,
    digester: new Digester(digestKey),
    cacheBytes,
    logger,
  });
  const spans = new RelaySpans(tracing);
  const onTold = (companyId: number): void => spans.onTold(companyId);
  const relay = new Relay({ queue, readModels, logger, signal, onTold });
  const run = { log, readModels, projections, signal, logger };
  const projecting = buildMissing(run).then(() =>
    runProjector({
      ...run,
      beside: (event) => snapshots.beside(event),
      onApplied: async (event) => {
        snapshots.onApplied(event);
        spans.onApplied(event);
        await relay.onApplied(event);
      },
    }),
  );
  const ended = Promise.all([
    projecting,
    relay.run(),
    runSweeper({ log, clock: systemClock, logger, signal }),
  ]);
  return {
    close: async () => {
      stop.abort();
      await ended;
      await snapshots.settled();
    },
  };
}
