import { setTimeout as wait } from 'node:timers/promises';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { within } from '@rollcall/application';
import { failureOf, notInTime } from './failures.js';
import { storedEvent, type StoredEvent } from './recorded-event.js';

export type ReadStream = ClientReadableStream<ReadResp>;

export interface ReadCallOptions {
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly onSilence: (stream: ReadStream) => void;
  /** True if a retry goes to the leader that this failure names. */
  readonly isRedirect: (error: unknown) => Promise<boolean>;
  readonly onEnd?: () => void;
}

export const maxRedirects = 10;

/** The first ones at once; later ones with a pause, until an election ends. */
export const redirectPause = (redirectsLeft: number): Promise<void> =>
  wait(Math.max(0, maxRedirects - 3 - redirectsLeft) * 25);

/** A read or subscription with backpressure: messages wait at the server. */
export class ReadCall {
  readonly #create: () => Promise<ReadStream>;
  readonly #options: ReadCallOptions;
  #opening: Promise<ReadStream>;
  readonly #abort = (): void => this.cancel();
  #messages: AsyncIterator<unknown> | undefined;
  #stream: ReadStream | undefined;
  #returned: ReadResp | undefined;
  #watch: NodeJS.Timeout | undefined;
  #mayBeSilent = false;
  #wasSilent = false;
  #ended = false;
  #hasLeft = false;
  #silentSince = performance.now();
  #mayRedirect = maxRedirects;

  constructor(create: () => Promise<ReadStream>, options: ReadCallOptions) {
    this.#create = create;
    this.#options = options;
    this.#opening = this.#begin();
    options.signal.addEventListener('abort', this.#abort, { once: true });
    if (options.signal.aborted) this.cancel();
  }

  /** A live subscription is silent while nothing is written. */
  allowSilence(): void {
    this.#mayBeSilent = true;
  }

  giveBack(message: ReadResp): void {
    this.#returned = message;
  }

  get hasBuffered(): boolean {
    if (this.#returned !== undefined) return true;
    return (this.#stream?.readableLength ?? 0) > 0;
  }

  /** Undefined at the end and after `cancel`. Fails with an error of the port. */
  async next(): Promise<ReadResp | undefined> {
    const returned = this.#returned;
    this.#returned = undefined;
    if (this.#ended || returned !== undefined) return returned;
    try {
      this.#messages ??= await this.#open();
      this.#watchOut();
      const next = await this.#messages.next();
      this.#mayRedirect = 0;
      this.#silentSince = performance.now();
      if (next.done !== true) return next.value as ReadResp;
      this.#end();
      return undefined;
    } catch (error) {
      // Reaching the leader may take longer than the allowed silence.
      clearTimeout(this.#watch);
      if (!(await this.#isRedirected(error))) return this.#failed(error);
    } finally {
      clearTimeout(this.#watch);
    }
    return this.next();
  }

  async #isRedirected(error: unknown): Promise<boolean> {
    if (this.#ended || this.#mayRedirect === 0 || !(await this.#options.isRedirect(error))) return false;
    this.#mayRedirect -= 1;
    await redirectPause(this.#mayRedirect);
    this.#messages = undefined;
    this.#opening = this.#begin();
    return true;
  }

  /** A cancelled call's failure means nothing. */
  #failed(error: unknown): undefined {
    if (this.#wasSilent) throw notInTime(this.#options.silenceMs);
    if (this.#ended) return undefined;
    this.cancel();
    throw failureOf(error);
  }

  async *messages(): AsyncGenerator<ReadResp> {
    try {
      for (let next = await this.next(); next !== undefined; next = await this.next()) yield next;
    } finally {
      this.cancel();
    }
  }

  /** Leaving early ends the call. `limit` ends it at the last event: servers close connections with many cancelled calls. */
  async *events(limit = Infinity): AsyncGenerator<StoredEvent> {
    let left = limit;
    for await (const message of this.messages()) {
      const event = storedEvent(message);
      if (event === undefined) continue;
      left -= 1;
      if (left === 0) while ((await this.next()) !== undefined);
      yield event;
    }
  }

  leave(): void {
    if (this.#ended) return;
    this.#hasLeft = true;
    this.cancel();
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  get silentSince(): number {
    return this.#silentSince;
  }

  cancel(): void {
    if (this.#ended) return;
    this.#end();
    this.#stream?.cancel();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#watch);
    this.#options.signal.removeEventListener('abort', this.#abort);
    this.#options.onEnd?.();
  }

  #begin(): Promise<ReadStream> {
    const opening = this.#create();
    opening.then(
      (stream) => {
        this.#stream = stream;
        if (this.#ended) stream.cancel();
      },
      () => undefined,
    );
    return opening;
  }

  async #open(): Promise<AsyncIterator<unknown>> {
    return (await within(this.#opening, this.#options.silenceMs, notInTime))[Symbol.asyncIterator]();
  }

  #watchOut(): void {
    if (this.#mayBeSilent || this.hasBuffered || this.#options.silenceMs === Infinity) return;
    this.#watch = setTimeout(() => {
      this.#wasSilent = true;
      const stream = this.#stream;
      this.cancel();
      if (stream !== undefined) this.#options.onSilence(stream);
    }, this.#options.silenceMs);
  }
}
