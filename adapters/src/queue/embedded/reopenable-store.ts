import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type QueueStore } from './store.js';

/** The store in a folder, opened anew where the folder was emptied: what was in it is lost, and the queue goes on. */
export class ReopenableStore {
  readonly #folder: string;
  readonly #sync: boolean;
  #store: QueueStore;
  #inode: number | undefined;
  #opening: Promise<void> | undefined;

  static async open(folder: string, sync: boolean): Promise<ReopenableStore> {
    return new ReopenableStore(await openStore(folder, sync), folder, sync);
  }

  private constructor(store: QueueStore, folder: string, sync: boolean) {
    this.#folder = folder;
    this.#sync = sync;
    this.#store = store;
    this.#inode = inodeIn(store.folder);
  }

  get current(): QueueStore {
    return this.#store;
  }

  /** Whether the file that is open is no longer the one in the folder, so that no other process will ever see it. */
  isGone(): boolean {
    return inodeIn(this.#store.folder) !== this.#inode;
  }

  /** Opens what is in the folder now; `settled` waits for what still goes on in the old file. */
  reopen(settled: () => Promise<unknown>): Promise<void> {
    this.#opening ??= this.#reopen(settled).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #reopen(settled: () => Promise<unknown>): Promise<void> {
    const old = this.#store;
    this.#store = await openStore(this.#folder, this.#sync);
    this.#inode = inodeIn(this.#store.folder);
    await settled();
    await old.close();
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#store.close();
  }
}

function inodeIn(folder: string): number | undefined {
  return statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })?.ino;
}
