import type { Dirent } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { readLastVerified } from '../health/last-verified.js';
import type { Metrics } from './metrics.js';

/** Holds a file per mail: too many to count at every scrape. */
const uncounted = 'outbox';

/** At each scrape: free bytes of the file system, bytes of the files, and the last verification. */
export function watchDataFolder(metrics: Metrics, folder: string): void {
  const { dataFolderFree, dataFolderUsed, lastVerified } = metrics.families;
  metrics.watch({
    part: 'last_verified',
    gauges: [lastVerified],
    read: async () => {
      const at = await readLastVerified(folder);
      return () => {
        if (at !== undefined) lastVerified.set(at / 1_000);
      };
    },
  });
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
