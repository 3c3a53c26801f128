import { newId, readPublicKeys, systemClock, type Adapters, type Keys } from '@rollcall/adapters';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.js';
import type { ServerConfig } from './config.js';
import type { ApiApp } from './http/fastify-types.js';
import { openImportPool } from './imports/import-pool.js';

/** How much the company states of an import thread may weigh together. */
const stateCacheBytes = 64 * 1024 * 1024;

export interface StartApiOptions {
  readonly config: ServerConfig;
  readonly adapters: Pick<Adapters, 'log' | 'readModels'>;
  readonly keys: Keys;
  readonly logger: FastifyBaseLogger;
}

export interface RunningApi {
  /** For example `http://127.0.0.1:3000`. */
  readonly address: string;
  /** Takes no new calls, answers those under way, and ends. The adapters stay open. */
  close(): Promise<void>;
}

/** Builds the app, with its import threads, and listens. Rejects where the address is taken. */
export async function startApi({ config, adapters, keys, logger }: StartApiOptions): Promise<RunningApi> {
  const { log, readModels } = adapters;
  const publicKeys = await readPublicKeys(config.publicKeyFolder);
  const threadData = { adapters: config.adapters, digestKey: keys.digestKey, cacheBytes: stateCacheBytes };
  const imports = openImportPool(threadData, { log, clock: systemClock });
  const parts = { log, readModels, publicKeys, imports, logger };
  let app: ApiApp | undefined;
  const close = async (): Promise<void> => {
    await app?.close();
    await imports.close();
  };
  try {
    app = await buildApp({ config: config.api, clock: systemClock, newId, ...parts });
    return { address: await app.listen({ host: config.host, port: config.port }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
