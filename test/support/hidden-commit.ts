import { join } from 'node:path';
import { Program } from './program.js';

/** LMDB's lock file begins with a magic number, a format, and the newest transaction of all processes. */
const HIDE = `
  import { closeSync, openSync, readSync, writeSync } from 'node:fs';
  const file = openSync(process.argv[1], 'r+');
  const number = new BigUint64Array(1);
  readSync(file, number, 0, 8, 8);
  number[0] -= 1n;
  writeSync(file, number, 0, 8, 8);
  closeSync(file);`;

/** What a process does that opens the store in the folder while another one commits: the newest commit is hidden. */
export async function hideNewestCommit(folder: string): Promise<void> {
  // Not in this process: a lock file that it closes is unlocked.
  const { code, err } = await new Program(['--input-type=module', '-e', HIDE, join(folder, 'lock.mdb')])
    .ended;
  if (code !== 0) throw new Error(err);
}

const OPEN = `
  const { open } = await import(process.argv[1]);
  const path = process.argv[2];
  for (;;) {
    const root = open({ path, noSubdir: false, overlappingSync: false });
    await root.close();
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  }`;

/** A process that opens and closes the store again and again. */
export const openAgainAndAgain = (folder: string): Program =>
  new Program(['--input-type=module', '-e', OPEN, import.meta.resolve('lmdb'), folder]);
