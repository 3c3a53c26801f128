import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  EventLogUnavailable,
  type EventLog,
  type EventToAppend,
  type RecordedEvent,
} from '@rollcall/application';
import { openEventStoreDbEventLog, type EventStoreDbOptions } from '@rollcall/adapters';

import type { Test } from 'tap';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { TcpProxy } from '../servers/tcp-proxy.js';
import { until, untilThere as callUntilThere } from '../support/until.js';
import { placeOf } from './event-log.support.js';

/** What a call may take in these tests. */
export const TIMEOUT_MS = 1_000;

export async function serverFor(t: Test, args: readonly string[] = []): Promise<EventStoreDbServer> {
  const server = await EventStoreDbServer.start({ args });
  t.teardown(() => server.stop());
  return server;
}

export async function proxyFor(t: Test, server: EventStoreDbServer): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(server.port);
  t.teardown(() => proxy.stop());
  return proxy;
}

/** Another handle of a new installation, unless the options say otherwise. */
export async function openLogOn(
  t: Test,
  at: { readonly port: number },
  options: Partial<EventStoreDbOptions> = {},
): Promise<EventLog> {
  const log = await openEventStoreDbEventLog({
    connectionString: `esdb://127.0.0.1:${at.port}?tls=false`,
    streamPrefix: `t-${randomUUID()}-`,
    timeoutMs: TIMEOUT_MS,
    ...options,
  });
  t.teardown(() => log.close());
  return log;
}

/** Rejects as an outage, and about when the time of a call is over. */
export async function isAway(t: Test, what: string, call: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await t.rejects(call(), EventLogUnavailable, what);
  const took = performance.now() - begun;
  // A loaded machine is slow; the client by itself would take 20 s.
  t.ok(took < TIMEOUT_MS + 9_000, `${what} took ${Math.round(took)} ms`);
}

/** Repeats a call until the server is there again. */
export const untilThere = <T>(call: () => Promise<T>): Promise<T> =>
  callUntilThere(EventLogUnavailable, call, { everyMs: 20 });

/** Appends as `appendSurely` does, for as long as it takes; what was appended. */
export async function appendUntilThere(
  log: EventLog,
  stream: string,
  expected: 'no-stream' | number,
  events: readonly EventToAppend[],
) {
  const result = await untilThere(() => log.append(stream, expected, events));
  if (result.outcome !== 'appended') throw new Error(`wrong revision of ${stream}: ${result.actual}`);
  return result;
}

interface FollowerOptions {
  readonly withoutStreams?: readonly string[];
  readonly matching?: string;
  /** What it takes over each item. */
  readonly slowMs?: number;
}

/** A consumer as the projector is: after an outage it begins again behind the last event that it has seen. */
export class Follower {
  readonly seen: RecordedEvent[] = [];
  /** Every position that was said to be reached, with the number of events seen then. */
  readonly reached: { readonly position: bigint | undefined; readonly count: number }[] = [];
  outages = 0;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  constructor(log: EventLog, options: FollowerOptions = {}) {
    this.#running = this.#run(log, options);
  }

  get places(): string[] {
    return this.seen.map(placeOf);
  }

  async until(condition: () => boolean): Promise<void> {
    await until(() => `more than ${this.seen.length} events are seen`, condition, { everyMs: 5 });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #run(log: EventLog, options: FollowerOptions): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        await this.#runOnce(log, options);
      } catch (error) {
        if (!(error instanceof EventLogUnavailable)) throw error;
        this.outages += 1;
        await wait(20);
      }
    }
  }

  async #runOnce(log: EventLog, { slowMs = 0, ...choice }: FollowerOptions): Promise<void> {
    const after = this.seen.at(-1)?.position;
    for await (const item of log.subscribeToAll({ ...choice, after, signal: this.#end.signal })) {
      if (item.kind === 'event') this.seen.push(item.event);
      else this.reached.push({ position: item.position, count: this.seen.length });
      if (slowMs > 0) await wait(slowMs);
    }
  }
}
