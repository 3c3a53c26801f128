import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readInstallation } from '@rollcall/application';
import { openEmbeddedEventLog } from '../event-log/embedded/embedded-event-log.js';
import { entriesOf, makePrivateFolder, syncFolder } from '../keys/files.js';
import { copyFile, filesIn, syncFolders } from './copied-files.js';
import { CopyRefused, readManifest, type Manifest } from './manifest.js';

const staging = '.restoring';
/** Entries that an empty folder may hold; file systems create `lost+found`. */
const isOfNobody = (name: string): boolean =>
  name === staging || name === 'lost+found' || name.startsWith('.in-use-');

/** A restore runs, or was interrupted. */
export const isBeingRestored = (dataDir: string): boolean => existsSync(join(dataDir, staging));

interface RestoreRequest {
  readonly from: string;
  readonly dataDir: string;
  /** Replaces the copy's keys; required if it has none. */
  readonly keyFolder: string | undefined;
  /** Rejects if the restored files are unusable; then nothing is restored. */
  readonly verify: (dataDir: string, manifest: Manifest) => Promise<void>;
  readonly onCopied?: (bytes: number, of: number) => void;
}

/**
 * Restores into an empty data folder once every file matches the manifest and `verify` resolves. Finishes a restore of the
 * same copy that was interrupted. `CopyRefused` if the folder is not empty, or the copy is damaged, unfinished or without keys.
 */
export async function restore(request: RestoreRequest): Promise<Manifest> {
  const { from, dataDir, keyFolder } = request;
  const manifest = await readManifest(from);
  if (!manifest.hasKeys && keyFolder === undefined)
    throw new CopyRefused(`The copy in ${from} holds no keys: name their folder with --keys.`);
  const folder = join(dataDir, staging);
  // Interrupted between the renames, of which the log's is the first.
  const isPartlyInPlace =
    isBeingRestored(dataDir) &&
    existsSync(join(dataDir, 'event-log')) &&
    !existsSync(join(folder, 'event-log'));
  if (isPartlyInPlace) await checkEnd(dataDir, manifest);
  else await copyAside(request, manifest, folder);
  await putInPlace(folder, dataDir);
  await rm(folder, { recursive: true, force: true });
  return manifest;
}

async function copyAside(request: RestoreRequest, manifest: Manifest, folder: string): Promise<void> {
  const { dataDir } = request;
  const [foreign] = (await entriesOf(dataDir)).filter((name) => !isOfNobody(name));
  if (foreign !== undefined)
    throw new CopyRefused(`${dataDir} is not empty: a copy is restored into a folder that is new or empty.`);
  await rm(folder, { recursive: true, force: true });
  await makePrivateFolder(folder);
  try {
    await copyAll(request, manifest, folder);
    await checkEnd(folder, manifest);
    await request.verify(folder, manifest);
    await syncFolders(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function copyAll(
  { from, keyFolder, onCopied }: RestoreRequest,
  { files }: Manifest,
  to: string,
): Promise<void> {
  const of = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const count = (bytes: number): void => onCopied?.((done += bytes), of);
  for (const file of files.filter(({ path }) => keyFolder === undefined || !path.startsWith('keys/'))) {
    const copied = await copyFile(file.path, { from, to, onCopied: count });
    if (copied.bytes !== file.bytes || copied.sha256 !== file.sha256)
      throw new CopyRefused(`${join(from, file.path)} is not what the backup wrote: take another copy.`);
  }
  if (keyFolder === undefined) return;
  for (const path of await filesIn(keyFolder))
    await copyFile(path, { from: keyFolder, to: join(to, 'keys') });
}

async function checkEnd(folder: string, manifest: Manifest): Promise<void> {
  const { streamPrefix, lastPosition, installationId } = manifest;
  const log = await openEmbeddedEventLog({ folder: join(folder, 'event-log'), streamPrefix });
  try {
    const installation = await readInstallation(log);
    const end = String((await log.lastPosition()) ?? 0n);
    if (installation?.installationId !== installationId || end !== lastPosition)
      throw new CopyRefused('The log is not the one that the manifest describes: take another copy.');
  } finally {
    await log.close();
  }
}

async function putInPlace(folder: string, dataDir: string): Promise<void> {
  // The log is the first by name.
  for (const name of (await entriesOf(folder)).sort()) {
    await rename(join(folder, name), join(dataDir, name));
    await syncFolder(dataDir);
  }
}
