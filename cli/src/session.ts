import { existsSync } from 'node:fs';
import { beginInstallation, openStores, withLogThere, type Stores } from '@rollcall/adapters';
import type { DecideAndAppendDeps } from '@rollcall/application';

import type { CallContext } from '@rollcall/contracts';
import { cliUsername, type CliIo } from './cli-io.js';
import { readConfig, type CliConfig } from './config.js';
import { Refusal } from './refusal.js';

export interface Session extends DecideAndAppendDeps {
  readonly config: CliConfig;
  readonly io: CliIo;
  readonly readModels: Stores['readModels'];
  readonly snapshots: Stores['snapshots'];
  /** The context of the one operation that this command is. */
  context(companyId: number | null, reason?: string): CallContext;
}

function contextFor(io: CliIo, companyId: number | null, reason: string | undefined): CallContext {
  return {
    companyId,
    operationId: io.newId(),
    userId: null,
    username: cliUsername(),
    causationId: null,
    receivedAt: new Date(io.clock.now()).toISOString(),
    ...(reason === undefined || reason === '' ? {} : { reason }),
  };
}

export interface SessionOptions {
  /** Begin an installation where there is none; otherwise that is a refusal. */
  readonly create?: boolean;
}

/** Opens the installation's stores for one command and closes them behind it, whatever comes. */
export async function withSession(
  io: CliIo,
  work: (session: Session) => Promise<void>,
  options: SessionOptions = {},
): Promise<void> {
  const config = readConfig(io.env);
  const isEmbedded = config.adapters.eventLog.kind === 'embedded';
  if (!options.create && isEmbedded && !existsSync(config.logFolder))
    throw new Refusal(
      `There is no data in ${config.adapters.dataDir}: set DATA_DIR, or configure a company first.`,
    );
  const adapters = await openStores(config.adapters);
  const { log, readModels, snapshots } = adapters;
  const context = (companyId: number | null, reason?: string): CallContext =>
    contextFor(io, companyId, reason);
  try {
    const begin = (): Promise<unknown> =>
      options.create
        ? beginInstallation({ ...adapters, keyFolder: config.keyFolder, clock: io.clock })
        : log.readLast('installation');
    await withLogThere(config.adapters, begin, {
      say: (line) => io.err(line),
      now: () => io.clock.now(),
      sleep: (ms) => io.sleep(ms),
    });
    await work({ config, io, log, readModels, snapshots, clock: io.clock, context });
  } finally {
    await adapters.close();
  }
}
