import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Removes what killed processes have left in a folder: files of such names that were not written for this long. */
export function removeLeftovers(folder: string, names: RegExp, olderThanMs: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (names.test(name) && Date.now() - statSync(path).mtimeMs > olderThanMs)
        rmSync(path, { force: true });
    }
  } catch {
    // Without effect on its use: the next opening tries again.
  }
}
