import { mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from './store.js';

/** Told at most so often how far the copy is. */
const LOOK_MS = 250;

export interface CopyOptions {
  readonly folder: string;
  /** Made here. */
  readonly to: string;
  /** Bytes of the copy, and those of the original, which the copy does not exceed. */
  readonly onCopied?: (bytes: number, of: number) => void;
}

/**
 * Copies the store as it is at one moment, beside processes that write to it, and syncs the copy. Pages that hold nothing any
 * more, and with them what was deleted, are left out. While it runs the original grows by what is written meanwhile.
 * `EventLogUnavailable` where the folder cannot be used.
 */
export async function copyEmbeddedEventLog({ folder, to, onCopied }: CopyOptions): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const store = await openStore(folder, true);
  const file = join(to, 'data.mdb');
  const sizeOf = (path: string): Promise<number> =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  const of = await sizeOf(join(folder, 'data.mdb'));
  const timer = setInterval(() => void sizeOf(file).then((bytes) => onCopied?.(bytes, of)), LOOK_MS);
  try {
    await store.root.backup(to, true);
  } finally {
    clearInterval(timer);
    await store.close();
  }
  const copy = await open(file, 'r+');
  try {
    await copy.chmod(0o600);
    await copy.sync();
  } finally {
    await copy.close();
  }
}
