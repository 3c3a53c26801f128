import { access, constants, mkdir } from 'node:fs/promises';
import { sweepTemporaryFiles } from '@rollcall/application/read';

/** The data folder cannot be used; the message names the variable that chose it. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

/** Creates a missing data folder and removes leftovers of killed processes. `DataFolderUnusable` without write access. */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await sweepTemporaryFiles(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new DataFolderUnusable(`DATA_DIR ${folder} is no folder that this user can write to (${code}).`);
  }
}
