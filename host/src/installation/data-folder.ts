import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdaptersConfig } from '@rollcall/adapters';
import { sweepTemporaryFiles } from '@rollcall/application/read';

/** The data folder cannot be used; the message names the variable that chose it. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

/** Made by `rollcall backup`. */
export const isCopy = (dataDir: string): boolean => existsSync(join(dataDir, 'manifest.json'));

/** Creates a missing data folder, removes leftovers of killed processes. `DataFolderUnusable`: no write access, or a copy. */
export async function prepareDataFolder({ dataDir: folder, eventLog }: AdaptersConfig): Promise<void> {
  if (eventLog.kind === 'embedded' && isCopy(folder))
    throw new DataFolderUnusable(`DATA_DIR ${folder} is a copy: use it with \`rollcall restore\`.`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await sweepTemporaryFiles(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new DataFolderUnusable(`DATA_DIR ${folder} is no folder that this user can write to (${code}).`);
  }
}
