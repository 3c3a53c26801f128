import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { backUp } from '@rollcall/adapters';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { readConfig, type CliConfig } from '../config.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { progressBar } from '../progress-bar.js';
import { Refusal } from '../refusal.js';
import { requireData } from '../session.js';
import { bytesOf } from './audit-export.js';

interface BackupOptions {
  readonly to: string;
  /** False with `--without-keys`. */
  readonly keys: boolean;
  readonly json?: boolean;
}

/** A log on a server is copied with the server's own tools. */
export function refuseServers({ adapters }: CliConfig): void {
  if (adapters.eventLog.kind !== 'embedded')
    throw new Refusal(
      'The event log lies on EventStoreDB: docs/production.md says what to back up, in which order, and how to come back.',
    );
}

/** Token keys elsewhere are not copied. */
function keysElsewhere({ publicFolder, privateFile, keyFolder, adapters }: CliConfig): string[] {
  const isIn = (path: string, folder: string): boolean => resolve(path).startsWith(resolve(folder) + sep);
  const isCopied = (path: string): boolean =>
    isIn(path, keyFolder) || (path !== publicFolder && isIn(path, join(adapters.dataDir, 'keys')));
  return [publicFolder, privateFile].filter((path) => !isCopied(path) && existsSync(path));
}

async function backup(io: CliIo, { to, keys, json = false }: BackupOptions): Promise<void> {
  const config = readConfig(io.env);
  refuseServers(config);
  const { dataDir, streamPrefix } = config.adapters;
  requireData(config);
  const bar = progressBar(io, 0n);
  const manifest = await backUp({
    dataDir,
    streamPrefix,
    keyFolder: keys ? config.keyFolder : undefined,
    to,
    now: () => io.clock.now(),
    onCopied: (bytes, of) => bar.show(BigInt(bytes), BigInt(of)),
  }).finally(bar.end);
  if (keys)
    for (const path of keysElsewhere(config))
      io.err(`${path} lies outside of ${config.keyFolder} and was not copied.\n`);
  const bytes = bytesOf(manifest);
  await answer(io, json, { folder: to, bytes, ...manifest }, [
    `The log as of ${manifest.startedAt} or later, up to position ${manifest.lastPosition}, ` +
      `${keys ? 'and the keys are' : 'without the keys, is'} in ${to}: ${bytes} bytes.`,
  ]);
}

export function addCommands(command: Command, io: CliIo): void {
  command
    .requiredOption('--to <folder>', 'where the copy goes: a folder that is new or empty', values.path)
    .option('--without-keys', 'leave out the keys: they are secret, and restoring needs them')
    .json()
    .examples('rollcall backup --to /backups/2026-11-21')
    .action(({ withoutKeys = false, ...options }: Omit<BackupOptions, 'keys'> & { withoutKeys?: boolean }) =>
      backup(io, { ...options, keys: !withoutKeys }),
    );
}
