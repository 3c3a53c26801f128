import { existsSync } from 'node:fs';
import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCopy } from '@rollcall/host';
import { openEmbeddedEventLog } from '@rollcall/adapters';
import type { CliIo } from './cli-io.js';
import { readConfig, type CliConfig } from './config.js';
import { contextFor, withSession, type Session, type StoresSession } from './session.js';

/** What questions to the log need. */
export interface LogSession extends Pick<Session, 'log' | 'io' | 'clock' | 'context' | 'config'> {
  /** Undefined where the log is only read, or asked alone. */
  readonly readModels?: StoresSession['readModels'];
}

/** A session for a command that reads the log. A copy, or a folder without the right to write, is opened read-only. */
export async function withLog(
  io: CliIo,
  work: (session: LogSession) => Promise<void>,
  inSession: typeof withSession = withSession,
): Promise<void> {
  const config = readConfig(io.env);
  const why = await whyReadOnly(config);
  if (why === undefined) return inSession(io, work);
  const { dataDir, streamPrefix } = config.adapters;
  io.err(`The event log in ${dataDir} is opened read-only: ${why}.\n`);
  if ((await readdir(dataDir)).some((name) => name.startsWith('.in-use-')))
    io.err(
      'A process may be writing to it: if an answer fails, take a copy with `rollcall backup`, and ask that.\n',
    );
  const log = await openEmbeddedEventLog({ folder: config.logFolder, streamPrefix, readOnly: true });
  const context: LogSession['context'] = (...about) => contextFor(io, ...about);
  await work({ config, log, io, clock: io.clock, context }).finally(() => log.close());
}

async function whyReadOnly({ adapters, logFolder }: CliConfig): Promise<string | undefined> {
  if (adapters.eventLog.kind !== 'embedded' || !existsSync(logFolder)) return undefined;
  if (isCopy(adapters.dataDir)) return 'it is a copy that `rollcall backup` has made';
  const lock = [join(logFolder, 'lock.mdb')].filter(existsSync);
  for (const path of [adapters.dataDir, logFolder, join(logFolder, 'data.mdb'), ...lock])
    if (!(await isWritable(path))) return `this user may not write to ${path}`;
  return undefined;
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
