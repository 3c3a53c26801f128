import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import {
  ArrivingBody,
  type ArrivingBodyDeps,
  type ArrivedBody,
  type ArrivingImport,
  type ImportOutcome,
} from '@rollcall/application';
import { releaseMemory } from '../host/release-memory.js';
import type { IntakeNews, IntakeWord } from './thread-tasks.js';

/** The process is told after so many bytes that they were taken. */
const tellEvery = 256 * 1024;

export interface IntakeDeps extends ArrivingBodyDeps {
  /** Decides on a body that is there whole. */
  readonly accept: (
    word: Extract<IntakeWord, { word: 'accept' }>,
    body: ArrivedBody,
  ) => Promise<ImportOutcome>;
}

/**
 * Takes up a body that comes through the port, and decides on it when it is told to. Undefined where nobody wants it any
 * more, or the port is closed. Nothing is left of the body then, nor where it throws.
 */
export async function takeUpBody(
  arriving: ArrivingImport,
  port: MessagePort,
  deps: IntakeDeps,
): Promise<ImportOutcome | undefined> {
  const words = on(port, 'message', { close: ['close'] });
  let intake: ThreadIntake | undefined;
  try {
    intake = new ThreadIntake(new ArrivingBody(deps, arriving), port);
    for await (const [word] of words as AsyncIterable<[IntakeWord]>) {
      if (word.word === 'accept') return await intake.accept(word, deps.accept);
      intake.hear(word);
    }
    return undefined;
  } finally {
    intake?.close();
    port.close();
  }
}

class ThreadIntake {
  readonly #body: ArrivingBody;
  readonly #port: MessagePort;
  #arrived: ArrivedBody | undefined;
  #untold = 0;

  constructor(body: ArrivingBody, port: MessagePort) {
    this.#body = body;
    this.#port = port;
  }

  hear(word: Exclude<IntakeWord, { word: 'accept' }>): void {
    if (word.word === 'pieces') {
      for (const piece of word.pieces) this.#add(piece);
      return;
    }
    this.#arrived = this.#body.finish();
    this.#tell({ news: 'ended', sha256: this.#arrived.body.sha256 });
  }

  async accept(
    word: Extract<IntakeWord, { word: 'accept' }>,
    accept: IntakeDeps['accept'],
  ): Promise<ImportOutcome> {
    if (!this.#arrived) throw new Error('a body is decided on before its end');
    const outcome = await accept(word, this.#arrived);
    if (isAccepted(outcome)) this.#body.accepted();
    return outcome;
  }

  close(): void {
    this.#body.close();
  }

  #add(piece: Uint8Array<ArrayBuffer>): void {
    this.#body.add(piece);
    this.#untold += piece.byteLength;
    // Left to the garbage collector, the pieces of a large body would weigh as much as the body.
    releaseMemory(piece.buffer);
    if (this.#untold < tellEvery) return;
    this.#tell({ news: 'taken', bytes: this.#untold });
    this.#untold = 0;
  }

  #tell(news: IntakeNews): void {
    this.#port.postMessage(news);
  }
}

const isAccepted = ({ kind }: ImportOutcome): boolean => kind === 'done' || kind === 'queued';
