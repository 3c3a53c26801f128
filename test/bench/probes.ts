import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** A small caller beside a large one: its calls, one after the other, and how long each took. It can be sent to a process. */
export interface Probe {
  readonly url: string;
  readonly token: string;
  readonly method: 'GET' | 'PUT';
  /** Taken in turn. */
  readonly bodies: readonly string[];
}

const pauseMs = 5;

/** Calls until the signal aborts; milliseconds of each call. */
export async function probe({ url, token, method, bodies }: Probe, signal: AbortSignal): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let count = 0; !signal.aborted; count++) {
    const begun = performance.now();
    const outgoing = request(url, { method, headers, agent });
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    outgoing.end(bodies[count % bodies.length]);
    const [incoming] = await answered;
    incoming.resume();
    await once(incoming, 'end');
    if (incoming.statusCode !== 200) throw new Error(`${method} ${url} answered ${incoming.statusCode}`);
    times.push(performance.now() - begun);
    await wait(pauseMs);
  }
  agent.destroy();
  return times;
}

export function percentile99(times: readonly number[]): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
