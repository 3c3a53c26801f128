import {
  CHAIN_START,
  decideAndAppend,
  EventLogUnavailable,
  verifyChain,
  type EventLog,
  type Fold,
  type JsonSource,
  type LoadedEvent,
  type RecordedEvent,
} from '@rollcall/application';
import type { CallContext, EmployeeSetReplaced } from '@rollcall/contracts';
import { callContext, clockAt, noSleep, type ScriptedLog } from './decide-and-append.support.js';

export const STREAM = 'company-7';
export const clock = clockAt('2026-11-21T09:00:00Z');
export const last: Fold<LoadedEvent | undefined> = {
  initial: () => undefined,
  evolve: (_state, event) => event,
};

export const employee = (number: number) => ({
  number,
  idDigest: '0'.repeat(32),
  digest: 'f'.repeat(32),
  invitationDue: null,
  values: {
    EmployeeID: `E-${number}`,
    Firstname: 'Åse',
    Lastname: '李',
    Email: 'a@example.com',
    EmploymentStatus: 1,
  },
});

export function employeeSet(count: number): EmployeeSetReplaced {
  return {
    operationId: '0190b5a0-7c3a-7d11-9f00-0123456789ab',
    bodySha256: 'a'.repeat(64),
    digestVersion: 1,
    ...{ inserted: count, updated: 0, removed: 0, total: count, lastNumber: count },
    setDigest: '1'.repeat(32),
    added: Array.from({ length: count }, (_, n) => employee(n + 1)),
    changed: [],
    left: [],
    restored: [],
  };
}

/** The text in chunks of this size, always in the same memory. */
export function sourceOf(text: Buffer, chunkBytes: number): JsonSource & { runs: number } {
  const source = {
    runs: 0,
    chunks: function* () {
      source.runs += 1;
      const shared = Buffer.alloc(chunkBytes);
      for (let at = 0; at < text.length; at += chunkBytes) {
        yield shared.subarray(0, text.copy(shared, 0, at, at + chunkBytes));
      }
    },
  };
  return source;
}

export async function write(
  log: EventLog,
  source: JsonSource,
  context: CallContext = callContext(),
  at = clock,
): Promise<LoadedEvent> {
  const outcome = await decideAndAppend(
    { log, clock: at, sleep: noSleep },
    {
      stream: STREAM,
      context,
      fold: last,
      decide: () => ({ kind: 'events', events: [{ name: 'EmployeeSetReplaced', source }] }),
    },
  );
  const event = outcome.kind === 'appended' ? outcome.events[0] : undefined;
  if (event === undefined) throw new Error('nothing was appended');
  return event;
}

export async function textOf(event: LoadedEvent): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of event.chunks()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export async function streams(log: EventLog): Promise<string[]> {
  const names: string[] = [];
  for await (const { stream } of log.listStreams('data-')) names.push(stream);
  return names;
}

/** The stream of an operation's large data at an attempt. */
export const nameOf = ({ operationId }: CallContext, attempt: number): string =>
  `data-${operationId}-${`${attempt}`.padStart(16, '0')}`;

export async function recordedOf(log: EventLog, stream: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of log.readStream(stream)) events.push(event);
  return events;
}

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
export const large = json(employeeSet(6000));

/** JSON text of exactly so many bytes, which fits the catalogue. */
export function sized(bytes: number): Buffer {
  const set = employeeSet(1);
  const empty = json({ ...set, filler: '' }).length;
  return json({ ...set, filler: 'x'.repeat(bytes - empty) });
}

/** Every chain value of every staged chunk. */
export async function verifyPieces(log: EventLog): Promise<void> {
  for (const stream of await streams(log)) {
    let chain = CHAIN_START;
    for (const piece of await recordedOf(log, stream)) chain = verifyChain(chain, piece);
  }
}

/** A process whose log goes away after so many chunks, for good. */
export async function dyingWrite(
  log: ScriptedLog,
  context: CallContext,
  pieces: number,
  at = clock,
): Promise<void> {
  let left = pieces;
  const dying: EventLog = {
    ...log,
    append: async (stream, expected, events) => {
      if (left-- <= 0) throw new EventLogUnavailable('gone');
      return log.append(stream, expected, events);
    },
  };
  await write(dying, sourceOf(large, 100_000), context, at).then(
    () => Promise.reject(new Error('it should have died')),
    (error: unknown) => {
      if (!(error instanceof EventLogUnavailable)) throw error;
    },
  );
}
