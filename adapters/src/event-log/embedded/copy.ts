import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { usableFolder } from '../../lmdb-folder.js';
import { logRole, openStore } from './store.js';

const progressIntervalMs = 250;

interface CopyOptions {
  readonly folder: string;
  readonly to: string;
  /** Bytes of the copy, and of the original, which is at least as large. */
  readonly onCopied?: ((bytes: number, of: number) => void) | undefined;
}

/** A synced snapshot next to writers, without free pages (deleted data). The log grows meanwhile. `EventLogUnavailable`. */
export async function copyEmbeddedEventLog({ folder, to, onCopied }: CopyOptions): Promise<void> {
  await usableFolder(to, logRole);
  const store = await openStore(folder, { sync: true });
  const file = join(to, 'data.mdb');
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const of = sizeOf(join(folder, 'data.mdb'));
  const timer = setInterval(() => onCopied?.(sizeOf(file), of), progressIntervalMs);
  try {
    await store.root.backup(to, true);
  } finally {
    clearInterval(timer);
    await store.close();
  }
  const copy = await open(file, 'r+');
  const saved = copy.chmod(0o600).then(() => copy.sync());
  await saved.finally(() => copy.close());
}
