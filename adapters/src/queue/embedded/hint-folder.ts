import { createHash, randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs';
import { join } from 'node:path';
import { QueueUnavailable } from '@rollcall/application';

export const nameOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** A queue's messages outside process memory, as files named by body: equal ones merge. Unsynced. `QueueUnavailable`. */
export class HintFolder {
  readonly #folder: string;
  #watcher: { readonly inode: number; readonly events: FSWatcher } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#use(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  }

  put(body: Buffer): void {
    const temporary = join(this.#folder, `.${randomUUID()}`);
    this.#use(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, body, { mode: 0o600 });
      renameSync(temporary, join(this.#folder, nameOf(body)));
    });
  }

  /** Takes the first of these messages that exists. The process that unlinks the file owns the message. */
  claim(names = this.names()): Buffer | undefined {
    for (const path of names.map((name) => join(this.#folder, name))) {
      const [body] = this.#use(() => [readFileSync(path), unlinkSync(path)] as const) ?? [];
      if (body !== undefined) return body;
    }
    return undefined;
  }

  names(): string[] {
    return this.#use(() => readdirSync(this.#folder))?.filter((name) => !name.startsWith('.')) ?? [];
  }

  /** Calls `changed` when any process has changed the folder. True: each change since the last call was reported. */
  watch(changed: () => void): boolean {
    try {
      const inode = statSync(this.#folder).ino;
      if (inode === this.#watcher?.inode) return true;
      this.unwatch();
      const events = watch(this.#folder, { persistent: false }, changed);
      events.on('error', () => this.unwatch());
      this.#watcher = { inode, events };
    } catch {
      this.unwatch();
    }
    return false;
  }

  unwatch(): void {
    this.#watcher?.events.close();
    this.#watcher = undefined;
  }

  #use<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
      throw new QueueUnavailable(`The queue in ${this.#folder} cannot be used`, { cause });
    }
  }
}
