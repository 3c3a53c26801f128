import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import {
  ArrivingBody,
  releaseMemory,
  type ArrivingBodyDeps,
  type ArrivedBody,
  type ArrivingImport,
  type PayloadWriter,
  importLimits,
  Limiter,
  type ImportOutcome,
  type WrittenPayload,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import type { IntakeReply, IntakeMessage } from './thread-tasks.js';

/** Bytes taken between two notifications of the process. */
const replyEveryBytes = importLimits.untakenBytes / 4;

interface IntakeDeps extends ArrivingBodyDeps {
  readonly accept: (
    message: Extract<IntakeMessage, { kind: 'accept' }>,
    body: ArrivedBody & { readonly payload: WrittenPayload | undefined },
  ) => Promise<ImportOutcome>;
  /** Begins the payload of a call that will surely be queued. */
  readonly beginPayload: (context: CallContext) => Promise<PayloadWriter>;
}

/** Reads a body from the port and decides on it. Undefined where it was abandoned; then, and on errors, nothing is left. */
export async function takeUpBody(
  arriving: ArrivingImport,
  port: MessagePort,
  deps: IntakeDeps,
): Promise<ImportOutcome | undefined> {
  const messages = on(port, 'message', { close: ['close'] });
  let intake: ThreadIntake | undefined;
  try {
    intake = new ThreadIntake(new ArrivingBody(deps, arriving), port);
    const { queuedAs } = arriving;
    if (queuedAs)
      intake.keep(await ProvisionalPayload.begin(queuedAs, (context) => deps.beginPayload(context)));
    for await (const [message] of messages as AsyncIterable<[IntakeMessage]>) {
      if (message.kind === 'accept') return await intake.accept(message, deps.accept);
      await intake.receive(message);
    }
    return undefined;
  } finally {
    port.close();
    await intake?.close();
  }
}

const payloadWriters = new Limiter(importLimits.payloadWritersPerThread);

/** A payload that is discarded unless its import is queued. */
class ProvisionalPayload {
  readonly #leave: () => void;
  readonly #payload: PayloadWriter;
  readonly #context: CallContext;
  #mayBeReferredTo = false;

  private constructor(payload: PayloadWriter, context: CallContext, leave: () => void) {
    this.#leave = leave;
    this.#payload = payload;
    this.#context = context;
  }

  /** The caller must call `close`. Undefined where the thread writes enough payloads. */
  static async begin(
    context: CallContext,
    begin: IntakeDeps['beginPayload'],
  ): Promise<ProvisionalPayload | undefined> {
    const leave = payloadWriters.tryTake();
    if (!leave) return undefined;
    try {
      return new ProvisionalPayload(await begin(context), context, leave);
    } catch (error) {
      leave();
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
    this.#leave();
    if (!this.#mayBeReferredTo) await this.#payload.discard().catch(() => undefined);
  }
}

class ThreadIntake {
  readonly #body: ArrivingBody;
  #payload: ProvisionalPayload | undefined;
  #written: Promise<WrittenPayload> | undefined;
  readonly #port: MessagePort;
  #arrived: ArrivedBody | undefined;
  #unreported = 0;

  constructor(body: ArrivingBody, port: MessagePort) {
    this.#body = body;
    this.#port = port;
  }

  /** The body will surely be queued: it is written to the payload from its beginning on. */
  keep(payload: ProvisionalPayload | undefined): void {
    this.#payload = payload;
  }

  async receive(message: Exclude<IntakeMessage, { kind: 'accept' }>): Promise<void> {
    if (message.kind === 'chunks') {
      for (const chunk of message.chunks) await this.#add(chunk);
      return;
    }
    this.#arrived = this.#body.finish();
    this.#written = this.#payload?.finish();
    this.#written?.catch(() => undefined); // It is met where it is decided.
    this.#reply({ kind: 'ended', sha256: this.#arrived.body.sha256 });
  }

  async accept(
    message: Extract<IntakeMessage, { kind: 'accept' }>,
    accept: IntakeDeps['accept'],
  ): Promise<ImportOutcome> {
    const arrived = this.#arrived;
    if (!arrived) throw new Error('a body is decided on before its end');
    const payload = await this.#written;
    const decide = (): Promise<ImportOutcome> => accept(message, { ...arrived, payload });
    const outcome = await (this.#payload ? this.#payload.during(decide) : decide());
    if (isAccepted(outcome)) this.#body.accepted();
    return outcome;
  }

  async close(): Promise<void> {
    this.#body.close();
    await this.#payload?.close();
  }

  async #add(chunk: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#body.add(chunk);
    await this.#payload?.add(chunk);
    this.#unreported += chunk.byteLength;
    // Garbage collection would come too late: the chunks would weigh as much as the body.
    releaseMemory(chunk.buffer);
    if (this.#unreported < replyEveryBytes) return;
    this.#reply({ kind: 'taken', bytes: this.#unreported });
    this.#unreported = 0;
  }

  #reply(reply: IntakeReply): void {
    this.#port.postMessage(reply);
  }
}

const isAccepted = (outcome: ImportOutcome): outcome is Extract<ImportOutcome, { kind: 'done' | 'queued' }> =>
  outcome.kind === 'done' || outcome.kind === 'queued';
