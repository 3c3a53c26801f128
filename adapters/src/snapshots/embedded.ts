import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock, type StateSnapshot, type StateSnapshots } from '@rollcall/application';
import { parsedJson } from '@rollcall/employee-lists/text';
import { hasCode, makePrivateFolder, replaceFile } from '../keys/files.js';
import { otherVersionLifetimeMs, sealed, unsealed } from './seal.js';

interface EmbeddedSnapshotsOptions {
  /** Created with the first snapshot; processes of one host share it. */
  readonly folder: string;
  readonly clock?: Clock;
}

const LINE_END = 0x0a;

/** Files `v{stateVersion}/{stream}`, written in `new`, synced and renamed. The next `put` deletes leftovers in `new`. */
export const openEmbeddedSnapshots = (options: EmbeddedSnapshotsOptions): StateSnapshots =>
  new EmbeddedSnapshots(options);

class EmbeddedSnapshots implements StateSnapshots {
  readonly #folder: string;
  readonly #clock: Clock;
  #sweptAt = -Infinity;

  constructor({ folder, clock = systemClock }: EmbeddedSnapshotsOptions) {
    this.#folder = folder;
    this.#clock = clock;
  }

  async newest(stream: string, stateVersion: number): Promise<StateSnapshot | 'unusable' | undefined> {
    const file = join(this.#folderOf(stateVersion), nameOf(stream));
    // Most companies have none, and opening a file that is missing costs some hundred times this.
    if (!existsSync(file)) return undefined;
    try {
      const content = await readFile(file);
      const end = content.indexOf(LINE_END);
      const head = parsedJson(content.toString('utf8', 0, Math.max(0, end)));
      return await unsealed(head, content.subarray(end + 1), { stream, stateVersion });
    } catch (error) {
      return hasCode(error, 'ENOENT') ? undefined : 'unusable';
    }
  }

  async put(snapshot: StateSnapshot): Promise<void> {
    const { stream, stateVersion, bytes } = snapshot;
    const aside = join(this.#folder, 'new');
    await makePrivateFolder(aside);
    await makePrivateFolder(this.#folderOf(stateVersion));
    const line = Buffer.from(`${JSON.stringify(await sealed(snapshot))}\n`);
    await replaceFile(join(this.#folderOf(stateVersion), nameOf(stream)), [line, bytes], 0o600, aside);
    if (this.#clock.now() - this.#sweptAt > otherVersionLifetimeMs)
      await this.#sweep(stateVersion).catch(() => undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #folderOf(stateVersion: number): string {
    return join(this.#folder, `v${stateVersion}`);
  }

  async #sweep(stateVersion: number): Promise<void> {
    this.#sweptAt = this.#clock.now();
    for (const name of await readdir(this.#folder)) {
      const folder = join(this.#folder, name);
      if (!/^v\d+$/.test(name) || folder === this.#folderOf(stateVersion)) continue;
      const { mtimeMs } = await stat(folder);
      if (this.#clock.now() - mtimeMs > otherVersionLifetimeMs)
        await rm(folder, { recursive: true, force: true });
    }
  }
}

const nameOf = (stream: string): string => encodeURIComponent(stream);
