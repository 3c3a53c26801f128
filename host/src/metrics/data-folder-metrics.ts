import type { Dirent } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from './metrics.js';

/** Holds a file per mail: too many to count at every scrape. */
const uncounted = 'outbox';

/** At each scrape: free bytes of the file system, and bytes of the files. */
export function watchDataFolder(metrics: Metrics, folder: string): void {
  const { dataFolderFree, dataFolderUsed } = metrics.families;
  metrics.watch({
    part: 'data_folder',
    gauges: [dataFolderFree, dataFolderUsed],
    read: async () => {
      const [{ bavail, bsize }, used] = await Promise.all([statfs(folder), bytesIn(folder)]);
      return () => {
        dataFolderFree.set(bavail * bsize);
        dataFolderUsed.set(used);
      };
    },
  });
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = await Promise.all(entries.map((entry) => sizeOf(folder, entry)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(folder: string, entry: Dirent): Promise<number> {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) return entry.name === uncounted ? 0 : bytesIn(path);
  try {
    // Allocated bytes: an LMDB file has holes.
    return (await stat(path)).blocks * 512;
  } catch {
    // The file was deleted meanwhile.
    return 0;
  }
}
