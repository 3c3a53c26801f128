import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, isBeingRestored, type AdaptersConfig } from '@rollcall/adapters';
import { sweepTemporaryFiles } from '@rollcall/application/read';

/** The data folder cannot be used; the message names the variable that chose it. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

/** Made by `rollcall backup`. */
export const isCopy = (dataDir: string): boolean => existsSync(join(dataDir, 'manifest.json'));

export function folderProblem({ dataDir, eventLog }: AdaptersConfig): string | undefined {
  if (eventLog.kind !== 'embedded') return undefined;
  if (isCopy(dataDir)) return `${dataDir} is a copy: use it with \`rollcall restore\``;
  return isBeingRestored(dataDir)
    ? `${dataDir} has an unfinished restore: run the same \`rollcall restore\` again, or remove .restoring if none runs`
    : undefined;
}

/** Creates a missing data folder, removes leftovers of killed processes. `DataFolderUnusable` with `folderProblem`, or no write access. */
export async function prepareDataFolder(adapters: AdaptersConfig): Promise<void> {
  const folder = adapters.dataDir;
  const problem = folderProblem(adapters);
  if (problem !== undefined) throw new DataFolderUnusable(`DATA_DIR ${problem}.`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await sweepTemporaryFiles(folder, isAlive);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new DataFolderUnusable(`DATA_DIR ${folder} is no folder that this user can write to (${code}).`);
  }
}
