import { LogWentBack, sharing, type RecordedEvent } from '@rollcall/application';

export type Seen = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'position'>;

interface SeenOver {
  readonly event: Seen;
  /** The connection of appends, else undefined. */
  readonly over: number | undefined;
}

interface ConsistencyProbeOptions {
  /** A number per connection; before the first it has the first one's. */
  readonly connection: () => number;
  readonly read: (stream: string, revision: number) => Promise<Pick<RecordedEvent, 'id'> | undefined>;
  /** A damaged stream proves nothing. */
  readonly isDamaged: (stream: string) => Promise<boolean>;
}

/** Looks up the newest seen event after each reconnect, before any append: the server may be restored from an older copy. */
export class ConsistencyProbe {
  readonly #options: ConsistencyProbeOptions;
  #newest: Seen | undefined;
  /** Seen before the look-up: it proves nothing about the past. */
  #since: SeenOver | undefined;
  #verifiedOver: number | undefined;
  readonly #look = sharing(() => this.#lookOnce());
  #isMissed = false;

  constructor(options: ConsistencyProbeOptions) {
    this.#options = options;
  }

  get knowsNothing(): boolean {
    return this.#newest === undefined;
  }

  /** `over`: the connection when the call began; the first event then needs no look-up. */
  saw(event: Seen, over?: number): void {
    if (this.#isMissed) return;
    if (this.#newest === undefined && over === this.#options.connection()) this.#verifiedOver = over;
    if (this.#mustLook()) {
      if (isNewer(event, this.#since?.event)) this.#since = { event, over };
    } else if (isNewer(event, this.#newest)) this.#newest = event;
  }

  /** `LogWentBack` while the event is missing; the log's errors otherwise. */
  async verify(): Promise<void> {
    while (this.#mustLook()) await this.#look();
  }

  #mustLook(): boolean {
    if (this.#newest === undefined) return false;
    return this.#isMissed || this.#verifiedOver !== this.#options.connection();
  }

  async #lookOnce(): Promise<void> {
    const { connection, read, isDamaged } = this.#options;
    const over = connection();
    if (this.#newest === undefined) return;
    const { stream, revision, id } = this.#newest;
    const found = await read(stream, revision);
    this.#isMissed = found?.id !== id && !(await isDamaged(stream));
    const since = this.#since;
    this.#since = undefined;
    if (this.#isMissed)
      throw LogWentBack.of(`the event at revision ${revision} of ${stream}`, { stream, revision, id });
    if (found?.id === id) this.#verifiedOver = over;
    else this.#newest = undefined;
    if (since !== undefined) this.#takeSince(since);
  }

  #takeSince({ event, over }: SeenOver): void {
    if (!isNewer(event, this.#newest)) return;
    this.#newest = event;
    this.#verifiedOver = over;
  }
}

const isNewer = (event: Seen, known: Seen | undefined): boolean =>
  known === undefined || event.position > known.position;
