import { open, type RootDatabaseOptionsWithPath } from 'lmdb';
import { CommitHidden, NewestCommit } from './lmdb-store.js';

/** Reads the whole store in its own process, since a missing page ends or hangs it; with `newest` it reads nothing. */
const [, , path = '', what] = process.argv;
const options: RootDatabaseOptionsWithPath = { path, noSubdir: false, overlappingSync: false, maxDbs: 32 };
/** Makes nothing of keys and values: LMDB has copied all their bytes by then. */
const unmade = {
  encoder: { decode: (_copied: Uint8Array, bytes: number) => bytes },
  keyEncoder: { writeKey: () => 0, readKey: () => 0 },
};

if (what !== 'newest') await readAll();
while (!(await isNewestShown()));

async function readAll(): Promise<void> {
  const root = open<Buffer, string>({ ...options, readOnly: true, encoding: 'binary' });
  const names = [...root.getKeys()];
  let bytes = 0;
  for (const name of names)
    for (const { value } of root.openDB<number, number>({ name, ...unmade }).getRange()) bytes += value;
  await root.close();
  process.exitCode = bytes >= 0 ? 0 : 1;
}

/** Opening shows the newest commit, or hides one that is made at that moment. */
async function isNewestShown(): Promise<boolean> {
  const root = open(options);
  const newest = new NewestCommit(path);
  try {
    root.transactionSync(() => newest.ensureSeenBy(root));
    return true;
  } catch (error) {
    if (error instanceof CommitHidden) return false;
    throw error;
  } finally {
    newest.close();
    await root.close();
  }
}
