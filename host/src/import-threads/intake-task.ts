import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import {
  ArrivingBody,
  releaseMemory,
  type ArrivingBodyDeps,
  type ArrivedBody,
  type ArrivingImport,
  type ArrivingPayload,
  importLimits,
  type ImportOutcome,
  type WrittenPayload,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import type { IntakeNews, IntakeWord } from './thread-tasks.js';

/** Bytes taken between two notifications of the process. */
const tellEvery = importLimits.untakenBytes / 4;

export interface IntakeDeps extends ArrivingBodyDeps {
  readonly accept: (
    word: Extract<IntakeWord, { word: 'accept' }>,
    body: ArrivedBody & { readonly payload: WrittenPayload | undefined },
  ) => Promise<ImportOutcome>;
  /** Begins the payload of a call that will surely be queued. */
  readonly beginPayload: (context: CallContext) => Promise<ArrivingPayload>;
}

/** Reads a body from the port and decides on it. Undefined where it was abandoned; then, and on errors, nothing is left. */
export async function takeUpBody(
  arriving: ArrivingImport,
  port: MessagePort,
  deps: IntakeDeps,
): Promise<ImportOutcome | undefined> {
  const words = on(port, 'message', { close: ['close'] });
  let intake: ThreadIntake | undefined;
  try {
    intake = new ThreadIntake(new ArrivingBody(deps, arriving), port);
    const { queuedAs } = arriving;
    if (queuedAs && KeptPayload.hasRoom)
      intake.keep(await KeptPayload.begin(queuedAs, (context) => deps.beginPayload(context)));
    for await (const [word] of words as AsyncIterable<[IntakeWord]>) {
      if (word.word === 'accept') return await intake.accept(word, deps.accept);
      await intake.hear(word);
    }
    return undefined;
  } finally {
    port.close();
    await intake?.close();
  }
}

/** A payload that is discarded unless its import is queued. */
class KeptPayload {
  static #count = 0;
  readonly #payload: ArrivingPayload;
  readonly #context: CallContext;
  #mayBeReferredTo = false;

  private constructor(payload: ArrivingPayload, context: CallContext) {
    this.#payload = payload;
    this.#context = context;
  }

  static get hasRoom(): boolean {
    return KeptPayload.#count < importLimits.payloadWritersPerThread;
  }

  /** The caller must call `close`. */
  static async begin(context: CallContext, begin: IntakeDeps['beginPayload']): Promise<KeptPayload> {
    KeptPayload.#count++;
    try {
      return new KeptPayload(await begin(context), context);
    } catch (error) {
      KeptPayload.#count--;
      throw error;
    }
  }

  add(bytes: Uint8Array): Promise<void> {
    return this.#payload.add(bytes);
  }

  finish(): Promise<WrittenPayload> {
    return this.#payload.finish();
  }

  /** From here on, also after an error, an event may refer to the payload: the sweeper decides then. */
  async during(accept: () => Promise<ImportOutcome>): Promise<ImportOutcome> {
    this.#mayBeReferredTo = true;
    const outcome = await accept();
    const { operationId } = this.#context;
    this.#mayBeReferredTo = outcome.kind === 'queued' && outcome.operationId === operationId;
    return outcome;
  }

  /** In an outage the payload is left to the sweeper. */
  async close(): Promise<void> {
    KeptPayload.#count--;
    if (!this.#mayBeReferredTo) await this.#payload.discard().catch(() => undefined);
  }
}

class ThreadIntake {
  readonly #body: ArrivingBody;
  #payload: KeptPayload | undefined;
  #written: Promise<WrittenPayload> | undefined;
  readonly #port: MessagePort;
  #arrived: ArrivedBody | undefined;
  #untold = 0;

  constructor(body: ArrivingBody, port: MessagePort) {
    this.#body = body;
    this.#port = port;
  }

  /** The body will surely be queued: it is written to the payload from its beginning on. */
  keep(payload: KeptPayload): void {
    this.#payload = payload;
  }

  async hear(word: Exclude<IntakeWord, { word: 'accept' }>): Promise<void> {
    if (word.word === 'pieces') {
      for (const piece of word.pieces) await this.#add(piece);
      return;
    }
    this.#arrived = this.#body.finish();
    this.#written = this.#payload?.finish();
    this.#written?.catch(() => undefined); // It is met where it is decided.
    this.#tell({ news: 'ended', sha256: this.#arrived.body.sha256 });
  }

  async accept(
    word: Extract<IntakeWord, { word: 'accept' }>,
    accept: IntakeDeps['accept'],
  ): Promise<ImportOutcome> {
    const arrived = this.#arrived;
    if (!arrived) throw new Error('a body is decided on before its end');
    const payload = await this.#written;
    const decide = (): Promise<ImportOutcome> => accept(word, { ...arrived, payload });
    const outcome = await (this.#payload ? this.#payload.during(decide) : decide());
    if (isAccepted(outcome)) this.#body.accepted(outcome.ignored);
    return outcome;
  }

  async close(): Promise<void> {
    this.#body.close();
    await this.#payload?.close();
  }

  async #add(piece: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#body.add(piece);
    await this.#payload?.add(piece);
    this.#untold += piece.byteLength;
    // Garbage collection would come too late: the chunks would weigh as much as the body.
    releaseMemory(piece.buffer);
    if (this.#untold < tellEvery) return;
    this.#tell({ news: 'taken', bytes: this.#untold });
    this.#untold = 0;
  }

  #tell(news: IntakeNews): void {
    this.#port.postMessage(news);
  }
}

type Accepted = Extract<ImportOutcome, { kind: 'done' | 'queued' }>;

const isAccepted = (outcome: ImportOutcome): outcome is Accepted =>
  outcome.kind === 'done' || outcome.kind === 'queued';
