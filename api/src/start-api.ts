import { newId, readsWithRetry, systemClock, type Imports } from '@rollcall/application';
import {
  type HealthProblem,
  noTracing,
  type DamageWatch,
  type Metrics,
  tracedImports,
  type Tracing,
  type WriteWatch,
} from '@rollcall/host';
import { readKeyFolder, readPublicKeys, type Closable, type Keys, type Stores } from '@rollcall/adapters';

import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.js';
import type { ServerConfig } from './config.js';

interface StartApiOptions {
  readonly config: ServerConfig;
  readonly keys: Pick<Keys, 'digestKey'>;
  readonly adapters: Pick<Stores, 'log' | 'readModels' | 'snapshots'>;
  readonly imports: Imports;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly writes?: Pick<WriteWatch, 'problems'>;
  readonly damage?: Pick<DamageWatch, 'streams' | 'problems'>;
  readonly tracing?: Tracing;
}

interface RunningApi extends Closable {
  /** For example `http://127.0.0.1:3000`. */
  readonly address: string;
  /** For `/health/ready`; empty when all is well. */
  readonly problems: () => Promise<readonly HealthProblem[]>;
}

/** Rejects where the address is taken. `close` finishes calls in flight and leaves adapters and import threads open. */
export async function startApi(options: StartApiOptions): Promise<RunningApi> {
  const { config, adapters, logger, metrics, writes, damage, tracing = noTracing } = options;
  const { readModels, snapshots } = adapters;
  const log = readsWithRetry(adapters.log);
  const parts = {
    digestKey: options.keys.digestKey,
    temporaryFolder: config.adapters.dataDir,
    log,
    readModels,
    snapshots,
    publicKeys: await readPublicKeys(config.publicKeyFolder),
    readPublicKeys: () => readKeyFolder(config.publicKeyFolder),
    imports: tracedImports(options.imports, tracing),
    logger,
    metrics,
    tracing,
    ...(writes && { writes }),
    ...(damage && { damage }),
  };
  const app = await buildApp({ config: config.api, clock: systemClock, newId, ...parts });
  const close = (): Promise<void> => app.close();
  try {
    const address = await app.listen({ host: config.host, port: config.port });
    return { address, problems: app.getDecorator('readiness'), close };
  } catch (error) {
    await close();
    throw error;
  }
}
