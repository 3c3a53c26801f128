import type { Test } from 'tap';
import { Program } from './program.js';

const HOLDER = `
  import { open } from 'lmdb';
  const root = open({ path: process.argv[1], noSubdir: false, maxDbs: 8, encoding: 'binary' });
  root.transactionSync(() => {
    process.stdout.write('It holds the lock\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Another process takes the write lock of the store in the folder. Releases it. */
export async function holdWriteLock(t: Test, folder: string): Promise<() => Promise<void>> {
  const holder = new Program(['--input-type=module', '-e', HOLDER, folder]);
  t.teardown(() => holder.kill());
  await holder.says(/It holds the lock/);
  return () => holder.kill();
}
