import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { releaseOwn, StreamDeleted, type AppendResult } from '@rollcall/application';
import { notCommitted, notInTime } from './failures.js';
import { revisionOf } from './recorded-event.js';
import { batchRequest, type StreamAppend } from './requests.js';
import type { BatchCall } from './streams-service.js';

export interface OpenBatch {
  readonly call: BatchCall;
  isCurrent(): boolean;
  onSilence(): void;
}

export interface BatchedAppendsOptions {
  readonly open: () => Promise<OpenBatch>;
  readonly keyOf: (append: StreamAppend) => string;
  readonly lingerMs: number;
  /** A call takes no more appends after this time: the server checks the password at its start only. 5 s by default. */
  readonly renewAfterMs?: number;
  /** An ended call is cancelled after this time: a server may leave it open. 1 s by default. */
  readonly cancelAfterMs?: number;
}

/** Appends that share calls, for a fraction of the cost; decided in the order of sending. */
export class BatchedAppends {
  readonly #options: Required<BatchedAppendsOptions>;
  readonly #calls = new Map<string, SharedCall>();

  constructor(options: BatchedAppendsOptions) {
    this.#options = { renewAfterMs: 5_000, cancelAfterMs: 1_000, ...options };
  }

  /** Retries once. Undefined: the outcome is unknown. `StreamDeleted`; `EventLogUnavailable` after a timeout. */
  async append(append: StreamAppend, timeLeft: () => number): Promise<AppendResult | undefined> {
    const answer = (await this.#send(append, timeLeft())) ?? (await this.#send(append, timeLeft()));
    return answer && resultOf(answer, append.name);
  }

  async #send(append: StreamAppend, timeoutMs: number): Promise<BatchAppendResp | undefined> {
    const key = this.#options.keyOf(append);
    const call = this.#callFor(key);
    try {
      return await call.send(append, timeoutMs);
    } finally {
      if (call.isIdle) this.#rest(key, call);
    }
  }

  #callFor(key: string): SharedCall {
    const known = this.#calls.get(key);
    if (known?.takesMore === true) return known;
    if (known?.isIdle === true) known.end();
    const call = new SharedCall(this.#options);
    this.#calls.set(key, call);
    return call;
  }

  #rest(key: string, call: SharedCall): void {
    if (this.#calls.get(key) !== call) return call.end();
    call.endAfter(this.#options.lingerMs, () => {
      if (this.#calls.get(key) === call) this.#calls.delete(key);
    });
  }
}

class SharedCall {
  readonly #opening: Promise<OpenBatch | undefined>;
  readonly #waiting = new Map<string, (answer: BatchAppendResp | undefined) => void>();
  readonly #renewAt: number;
  readonly #cancelAfterMs: number;
  #batch: OpenBatch | undefined;
  #isOver = false;
  #rest: NodeJS.Timeout | undefined;

  constructor({ open, renewAfterMs, cancelAfterMs }: Required<BatchedAppendsOptions>) {
    this.#renewAt = performance.now() + renewAfterMs;
    this.#cancelAfterMs = cancelAfterMs;
    this.#opening = open().then(
      (batch) => this.#listen(batch),
      () => this.#fail(),
    );
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  get takesMore(): boolean {
    return !this.#isOver && performance.now() < this.#renewAt && this.#batch?.isCurrent() !== false;
  }

  async send(append: StreamAppend, timeoutMs: number): Promise<BatchAppendResp | undefined> {
    clearTimeout(this.#rest);
    const id = randomUUID();
    const request = batchRequest(id, append);
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<BatchAppendResp | undefined>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(notInTime(timeoutMs));
        this.#cancel();
      }, timeoutMs);
      this.#waiting.set(id, resolve);
    });
    if (this.#batch === undefined) void this.#opening.then((batch) => this.#write(batch, id, request));
    else this.#write(this.#batch, id, request);
    try {
      const answered = await answer;
      // An answer says that it was sent.
      if (answered !== undefined) releaseOwn(request);
      return answered;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  endAfter(ms: number, ended: () => void): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.end();
      ended();
    }, ms).unref();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#opening.then((batch) => {
      batch?.call.end();
      const cancel = setTimeout(() => batch?.call.cancel(), this.#cancelAfterMs).unref();
      batch?.call.once('close', () => clearTimeout(cancel));
    });
  }

  #write(batch: OpenBatch | undefined, id: string, request: Buffer): void {
    if (batch === undefined || this.#isOver) this.#fail();
    else if (this.#waiting.has(id)) batch.call.write(request);
  }

  /** Other calls of a silent server learn of the failure. */
  #cancel(): void {
    this.#isOver = true;
    void this.#opening.then((batch) => {
      batch?.call.cancel();
      batch?.onSilence();
    });
  }

  #listen(batch: OpenBatch): OpenBatch {
    batch.call.on('data', (answer: BatchAppendResp) => {
      const id = answer.getCorrelationId()?.getString() ?? '';
      this.#waiting.get(id)?.(answer);
    });
    for (const end of ['error', 'end', 'close']) batch.call.on(end, () => this.#fail());
    this.#batch = batch;
    return batch;
  }

  #fail(): undefined {
    this.#isOver = true;
    for (const answered of this.#waiting.values()) answered(undefined);
  }
}

function resultOf(answer: BatchAppendResp, name: string): AppendResult | undefined {
  const success = answer.getSuccess();
  if (success === undefined) return refusalOf(answer, name);
  const position = success.getPosition()?.getCommitPosition();
  if (position === undefined) return undefined;
  const revision = revisionOf(success.getCurrentRevision(), name);
  return { outcome: 'appended', revision, position: BigInt(position) };
}

function refusalOf(answer: BatchAppendResp, name: string): AppendResult | undefined {
  const details = answer.getError()?.getDetails();
  const kind = details?.getTypeUrl().split('.').at(-1);
  if (kind === 'StreamDeleted') throw new StreamDeleted(`The stream ${name} was deleted`);
  if (kind === 'Timeout') throw notCommitted();
  return details && kind === 'WrongExpectedVersion'
    ? wrongRevision(details.getValue_asU8(), name)
    : undefined;
}

function wrongRevision(bytes: Uint8Array, name: string): AppendResult {
  const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes);
  const actual = wrong.hasCurrentStreamRevision()
    ? revisionOf(wrong.getCurrentStreamRevision(), name)
    : 'no-stream';
  return { outcome: 'wrong-revision', actual };
}
