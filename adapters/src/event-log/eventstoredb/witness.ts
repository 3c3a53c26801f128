import { LogWentBack, type RecordedEvent } from '@rollcall/application';

/** An event that stands in the log, as it is known again. */
export type Seen = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'position'>;

export interface WitnessOptions {
  /** Changes with each new connection to the server; before the first one it is what it is over that. */
  readonly connection: () => number;
  /** Undefined where nothing stands there. */
  readonly read: (stream: string, revision: number) => Promise<Pick<RecordedEvent, 'id'> | undefined>;
  /** Whether others have taken events out of the stream: then it says nothing of the log. */
  readonly isDamaged: (stream: string) => Promise<boolean>;
}

/**
 * The newest event that this process has seen. No log is put in the place of another without a restart of its server: so over
 * each new connection that event is looked for before anything is appended, because whatever is in memory counts on it.
 */
export class Witness {
  readonly #options: WitnessOptions;
  #newest: Seen | undefined;
  #verifiedOver: number | undefined;
  #verifying: Promise<void> | undefined;
  /** It was not there when it was looked for last. */
  #isMissed = false;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** Nothing was seen yet that the log could have lost. */
  get knowsNothing(): boolean {
    return this.#newest === undefined;
  }

  /** `over`: what `connection` was when the call began, where it went over that connection; then the first event needs no look. */
  saw(event: Seen, over?: number): void {
    if (this.#isMissed) return;
    if (this.#newest === undefined && over === this.#options.connection()) this.#verifiedOver = over;
    if (this.#newest === undefined || event.position > this.#newest.position) this.#newest = event;
  }

  /** `LogWentBack` where the event is gone, until it is found again; the log's errors where that cannot be told. */
  async verify(): Promise<void> {
    while (this.#mustLook()) {
      this.#verifying ??= this.#look().finally(() => (this.#verifying = undefined));
      await this.#verifying;
    }
  }

  #mustLook(): boolean {
    if (this.#newest === undefined) return false;
    return this.#isMissed || this.#verifiedOver !== this.#options.connection();
  }

  async #look(): Promise<void> {
    const { connection, read, isDamaged } = this.#options;
    const over = connection();
    if (this.#newest === undefined) return;
    const { stream, revision, id } = this.#newest;
    const found = await read(stream, revision);
    this.#isMissed = found?.id !== id && !(await isDamaged(stream));
    if (this.#isMissed)
      throw LogWentBack.of(`the event at revision ${revision} of ${stream}`, { stream, revision, id });
    if (found?.id === id) this.#verifiedOver = over;
    else this.#newest = undefined;
  }
}
