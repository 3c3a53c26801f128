import { type CallTerm, systemClock, type ProcessLogger } from '@rollcall/application/read';
import { noTracing, type Tracing } from '@rollcall/host/read';
import type { ReadingAdapters, Closable } from '@rollcall/adapters/read';

import { Digester } from '@rollcall/employee-lists';
import { projections } from './projections/index.js';
import { buildMissing } from './build-missing.js';
import { keepCalls } from './call-keeper.js';
import { helpBuilds } from './help-builds.js';
import { proveLog } from './prove-log.js';
import { Relay, RelaySpans } from './relay.js';
import { runProjector } from './run-projector.js';
import { CompanySnapshots } from './snapshots.js';
import { runSweeper } from './sweeper.js';

const cacheBytes = 64 * 1024 * 1024;

interface StartProjectorOptions {
  readonly adapters: ReadingAdapters;
  readonly digestKey: Uint8Array;
  readonly callTerm: CallTerm;
  /** How long one verification of the whole log takes (ms); Infinity: none. */
  readonly verifyEveryMs: number;
  readonly logger: ProcessLogger;
  readonly tracing?: Tracing;
}

/** Projections, snapshots, relay, sweeper, keeper of calls and proof of the log, until closed; finishes the current event. Each recovers from errors. */
export function startProjector(options: StartProjectorOptions): Closable {
  const { adapters, digestKey, callTerm: term, verifyEveryMs, logger, tracing = noTracing } = options;
  const { log, readModels, queue } = adapters;
  const stop = new AbortController();
  const { signal } = stop;
  const digester = new Digester(digestKey);
  const snapshots = new CompanySnapshots({ ...adapters, digester, cacheBytes, logger });
  const spans = new RelaySpans(tracing);
  const onAnnounced = (companyId: number): void => spans.onAnnounced(companyId);
  const relay = new Relay({ queue, readModels, logger, signal, onAnnounced });
  const run = { log, readModels, projections, signal, logger };
  const built = buildMissing(run);
  const projecting = built.then(() =>
    runProjector({
      ...run,
      onSwitched: (live) => relay.announcePending(live),
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
    helpBuilds({ ...run, onHelped: () => relay.announcePending(readModels) }),
    relay.run(),
    built.then(() => keepCalls({ log, readModels, clock: systemClock, term, logger, signal })),
    proveLog({ ...adapters, clock: systemClock, everyMs: verifyEveryMs, logger, signal }),
    runSweeper({ log, snapshots: adapters.snapshots, clock: systemClock, logger, signal }),
  ]);
  return {
    close: async () => {
      stop.abort();
      await ended;
      await snapshots.settled();
    },
  };
}
