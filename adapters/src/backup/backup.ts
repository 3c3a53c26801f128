import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { readInstallation } from '@rollcall/application';
import type { InstallationCreated } from '@rollcall/contracts';
import { copyEmbeddedEventLog } from '../event-log/embedded/copy.js';
import { openEmbeddedEventLog } from '../event-log/embedded/embedded-event-log.js';
import { keyPaths, keysOfLog } from '../keys/keys.js';
import { version } from '../version.js';
import { entriesOf, makePrivateFolder } from '../keys/files.js';
import { copyFile, filesIn, measured, syncFolders } from './copied-files.js';
import { COPY_FORMAT, CopyRefused, writeManifest, type Manifest } from './manifest.js';

interface BackupRequest {
  readonly dataDir: string;
  readonly streamPrefix: string;
  readonly keyFolder: string | undefined;
  /** New or empty. */
  readonly to: string;
  readonly now: () => number;
  readonly onCopied?: (bytes: number, of: number) => void;
}

/**
 * Copies the embedded log next to running processes, then the keys: a key is written before the first event that needs it,
 * so the copy lacks none. The manifest comes last. Removes a failed copy. `CopyRefused`, `EventLogUnavailable`, or
 * `KeysUnusable` if the digest key is not the log's.
 */
export async function backUp(request: BackupRequest): Promise<Manifest> {
  const { to, dataDir, keyFolder } = request;
  await refuseTarget(to, dataDir);
  const startedAt = new Date(request.now()).toISOString();
  const isNew = await makePrivateFolder(to);
  try {
    const log = await copiedLog(request);
    if (keyFolder !== undefined) await copyKeys(request, keyFolder, log.installation);
    await syncFolders(to);
    const files = [];
    for (const path of await filesIn(to)) files.push(await measured(to, path));
    const manifest: Manifest = {
      format: COPY_FORMAT,
      version,
      startedAt,
      finishedAt: new Date(request.now()).toISOString(),
      installationId: log.installation.installationId,
      streamPrefix: request.streamPrefix,
      lastPosition: log.lastPosition,
      hasKeys: keyFolder !== undefined,
      files,
    };
    await writeManifest(to, manifest);
    return manifest;
  } catch (error) {
    for (const name of isNew ? ['.'] : ['event-log', 'keys'])
      await rm(join(to, name), { recursive: true, force: true });
    throw error;
  }
}

async function refuseTarget(to: string, dataDir: string): Promise<void> {
  if ((await entriesOf(to)).length > 0)
    throw new CopyRefused(`${to} is not empty: a copy needs a folder that is new or empty.`);
  const target = join(await existing(resolve(to)), '.');
  const within = relative(await realpath(dataDir), target);
  if (!within.startsWith('..'))
    throw new CopyRefused(`${to} lies in the data folder ${dataDir}: a copy belongs elsewhere.`);
}

const existing = (folder: string): Promise<string> =>
  realpath(folder).catch(async () =>
    join(await existing(dirname(folder)), relative(dirname(folder), folder)),
  );

async function copiedLog({ dataDir, to, streamPrefix, onCopied }: BackupRequest) {
  const copy = join(to, 'event-log');
  await copyEmbeddedEventLog({ folder: join(dataDir, 'event-log'), to: copy, onCopied });
  const log = await openEmbeddedEventLog({ folder: copy, streamPrefix });
  try {
    const installation = await readInstallation(log);
    if (installation === undefined)
      throw new CopyRefused(
        `The event log in ${dataDir} does not say which installation it is: start Rollcall on it once, and look at STREAM_PREFIX.`,
      );
    return { installation, lastPosition: String((await log.lastPosition()) ?? 0n) };
  } finally {
    await log.close();
    await rm(join(copy, 'lock.mdb'), { force: true });
  }
}

async function copyKeys(
  { to: copy, dataDir }: BackupRequest,
  keyFolder: string,
  { keyCheck }: InstallationCreated,
): Promise<void> {
  const to = join(copy, 'keys');
  for (const path of await filesIn(keyFolder)) await copyFile(path, { from: keyFolder, to });
  // Beside shared keys, those of this host alone.
  const from = keyPaths(dataDir).ownFolder;
  for (const path of existsSync(from) ? await filesIn(from) : [])
    if (!existsSync(join(to, path)) && !path.startsWith('public/')) await copyFile(path, { from, to });
  await keysOfLog(to, keyCheck);
}
