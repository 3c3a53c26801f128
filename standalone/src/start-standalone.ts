import { keyPlaces, openAdapters, openKeys, systemClock } from '@rollcall/adapters';
import { startApi, type ServerConfig } from '@rollcall/api';
import type { Logger } from 'pino';
import { prepareDataFolder } from './data-folder.js';
import { createDemo } from './first-run.js';
import { startProjector } from './start-projector.js';
import { upToDate } from './up-to-date.js';

export interface RunningStandalone {
  readonly address: string;
  /** This start created the demo company. */
  readonly isFirstRun: boolean;
  /** Answers the calls under way, then ends everything. */
  close(): Promise<void>;
}

/** The whole service in one process on the embedded adapters. What was opened is closed again where a step fails. */
export async function startStandalone(config: ServerConfig, logger: Logger): Promise<RunningStandalone> {
  const parts: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const part of parts.splice(0).reverse()) await part.close();
  };
  const opened = <T extends { close(): Promise<void> }>(part: T): T => (parts.push(part), part);
  try {
    const { dataDir } = config.adapters;
    await prepareDataFolder(dataDir);
    const adapters = opened(await openAdapters(config.adapters));
    const keys = await openKeys({ folder: config.keyFolder });
    const places = { publicFolder: config.publicKeyFolder, privateFile: keyPlaces(dataDir).privateFile };
    const { jwtIssuer: issuer, jwtAudience: audience } = config.api;
    const { log } = adapters;
    const isFirstRun = await createDemo({ dataDir, keys: places, issuer, audience, log, clock: systemClock });
    const { digestKey } = keys;
    opened(startProjector({ adapters: config.adapters, digestKey, logLevel: config.logLevel }));
    await upToDate(adapters);
    const { address } = opened(await startApi({ config, adapters, keys, logger }));
    return { address, isFirstRun, close };
  } catch (error) {
    await close();
    throw error;
  }
}
