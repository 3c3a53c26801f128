import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import type { AdaptersConfig } from '@rollcall/adapters';
import { folderProblem } from '@rollcall/host';
import { osUser } from '../cli-io.js';
import { green, red, type Check } from './check.js';

/** As in the alert rule. */
const minFreeBytes = 2_000_000_000;

export async function* hostChecks(adapters: AdaptersConfig): AsyncIterable<Check> {
  const problem = folderProblem(adapters);
  const unusable = problem && red('data folder', problem, 'Nothing starts on it before.');
  const folder = unusable || (await folderCheck(adapters.dataDir));
  yield folder;
  if (folder.ok) yield await diskCheck(adapters.dataDir);
}

async function folderCheck(dataDir: string): Promise<Check> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return green('data folder', `${dataDir} may be read and written`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const advice =
      code === 'ENOENT'
        ? 'Set DATA_DIR to the folder of the installation; the first start makes one.'
        : `Give it to the user that runs Rollcall (here ${osUser()}).`;
    return red('data folder', `${dataDir} cannot be used (${code})`, advice);
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

async function diskCheck(dataDir: string): Promise<Check> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const text = `${gigabytes(free)} of ${gigabytes(blocks * bsize)} are free`;
  return free < minFreeBytes
    ? red('disk', text, 'Make room: with nothing left no call that changes something is answered.')
    : green('disk', text);
}
