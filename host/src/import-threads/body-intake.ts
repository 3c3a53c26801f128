import { MessageChannel, type MessagePort } from 'node:worker_threads';
import {
  type BareImportRequest,
  type BodyIntake,
  importLimits,
  type ImportOutcome,
  ImportsBusy,
  within,
} from '@rollcall/application';
import type { IntakeReply, IntakeMessage, GivenTask } from './thread-tasks.js';

const { untakenBytes } = importLimits;

interface IntakeOptions {
  /** Starts the task that reads the port; undefined where the body was abandoned. */
  readonly start: (port: MessagePort) => Promise<ImportOutcome | undefined>;
  readonly inTurn: (work: () => Promise<ImportOutcome>) => Promise<ImportOutcome>;
  readonly damaged: () => GivenTask['damaged'];
  /** Limit for the wait for the thread to take what was sent (ms). */
  readonly waitMs: number;
}

export class ThreadBodyIntake implements BodyIntake {
  readonly #options: IntakeOptions;
  readonly #port: MessagePort;
  /** The task's outcome; rejects also when the thread dies. */
  readonly #ended: Promise<ImportOutcome | undefined>;
  readonly #failed: Promise<never>;
  #underWay = 0;
  #sha256: string | undefined;
  #wait: { readonly isOver: () => boolean; readonly resolve: () => void } | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1.on('message', (reply: IntakeReply) => this.#onReply(reply));
    this.#ended = options.start(port2).finally(() => port1.close());
    this.#failed = this.#ended.then(() => Promise.reject(new Error('a body was left by its thread')));
    this.#failed.catch(() => undefined);
  }

  write(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<void> | undefined {
    for (const { byteLength } of chunks) this.#underWay += byteLength;
    this.#post(
      { kind: 'chunks', chunks },
      chunks.map(({ buffer }) => buffer),
    );
    if (this.#underWay < untakenBytes) return undefined;
    return this.#until(() => this.#underWay <= untakenBytes / 2);
  }

  async end(): Promise<string> {
    this.#post({ kind: 'end' });
    await this.#until(() => this.#sha256 !== undefined);
    return this.#sha256 ?? '';
  }

  accept(request: BareImportRequest): Promise<ImportOutcome> {
    return this.#options.inTurn(async () => {
      this.#post({ kind: 'accept', request, damaged: this.#options.damaged() });
      const outcome = await this.#ended;
      if (outcome === undefined) throw new Error('a thread gave back nothing for a body');
      return outcome;
    });
  }

  abandon(): void {
    this.#port.close();
  }

  #post(message: IntakeMessage, transferList: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transferList);
  }

  #onReply(reply: IntakeReply): void {
    if (reply.kind === 'ended') this.#sha256 = reply.sha256;
    else this.#underWay -= reply.bytes;
    if (this.#wait?.isOver() !== true) return;
    this.#wait.resolve();
    this.#wait = undefined;
  }

  #until(isOver: () => boolean): Promise<void> {
    const replied = new Promise<void>((resolve) => (this.#wait = { isOver, resolve }));
    return within(Promise.race([replied, this.#failed]), this.#options.waitMs, () => new ImportsBusy());
  }
}
