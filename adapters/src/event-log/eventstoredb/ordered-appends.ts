import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { StreamDeleted, type AppendResult, type EventToAppend } from '@rollcall/application';
import { notInTime } from './failures.js';
import { revisionOf } from './recorded-event.js';
import { batchRequest } from './requests.js';

export type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

export interface AppendInOrder {
  /** With the prefix. */
  readonly stream: string;
  /** Without it. */
  readonly name: string;
  readonly expected: number;
  readonly events: readonly EventToAppend[];
}

/**
 * Appends to a stream that need not wait for each other: they go over one call, which keeps their order. There is a call for
 * each stream, for as long as something of it is under way.
 */
export class OrderedAppends {
  readonly #open: () => Promise<BatchCall>;
  readonly #calls = new Map<string, OrderedCall>();

  constructor(open: () => Promise<BatchCall>) {
    this.#open = open;
  }

  /** Undefined where the call failed, and the outcome is unknown. `StreamDeleted`; `EventLogUnavailable` after `timeoutMs`. */
  async append(append: AppendInOrder, timeoutMs: number): Promise<AppendResult | undefined> {
    const { stream, name } = append;
    const call = this.#calls.get(stream) ?? new OrderedCall(this.#open());
    this.#calls.set(stream, call);
    try {
      const answer = await call.send(append, timeoutMs);
      return answer && resultOf(answer, name);
    } finally {
      if (call.isIdle && this.#calls.get(stream) === call) {
        this.#calls.delete(stream);
        call.end();
      }
    }
  }
}

type Answered = (answer: BatchAppendResp | undefined) => void;

class OrderedCall {
  readonly #opening: Promise<BatchCall | undefined>;
  readonly #waiting = new Map<string, Answered>();

  constructor(opening: Promise<BatchCall>) {
    this.#opening = opening.then(
      (call) => this.#listen(call),
      () => this.#fail(),
    );
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  async send(
    { stream, expected, events }: AppendInOrder,
    timeoutMs: number,
  ): Promise<BatchAppendResp | undefined> {
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<BatchAppendResp | undefined>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(notInTime(timeoutMs));
        this.#cancel();
      }, timeoutMs);
      this.#waiting.set(id, resolve);
    });
    void this.#opening.then((call) =>
      call === undefined ? this.#fail() : call.write(batchRequest(id, stream, expected, events)),
    );
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  end(): void {
    void this.#opening.then((call) => call?.end());
  }

  /** A server that is silent keeps no call open; what else waits for it learns that it failed. */
  #cancel(): void {
    void this.#opening.then((call) => call?.cancel());
  }

  #listen(call: BatchCall): BatchCall {
    call.on('data', (answer: BatchAppendResp) => {
      const id = answer.getCorrelationId()?.getString() ?? '';
      this.#waiting.get(id)?.(answer);
    });
    for (const end of ['error', 'end', 'close']) call.on(end, () => this.#fail());
    return call;
  }

  #fail(): undefined {
    for (const answered of this.#waiting.values()) answered(undefined);
  }
}

/** Undefined where the answer leaves open what became of the append. */
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
