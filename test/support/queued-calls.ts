import { setTimeout as wait } from 'node:timers/promises';
import type { ApiCall } from '@rollcall/contracts';
import type { Answer, CallOptions, TestApp } from './test-app.js';

/** Ends in the tests at the latest. */
const withinMs = 60_000;

/** Every state that a queued call was seen in. */
export interface Followed {
  readonly last: ApiCall;
  readonly reasons: readonly string[];
}

/** Follows a 202 as its caller does, by its Location, until the call has ended. */
export async function followed(app: TestApp, answer: Answer, options: CallOptions = {}): Promise<Followed> {
  const location = answer.headers.get('location');
  if (answer.status !== 202 || location === null) throw new Error(`${answer.status} ${answer.text}`);
  const deadline = performance.now() + withinMs;
  const reasons = new Set<string>();
  while (performance.now() < deadline) {
    const [row] = (await app.call('GET', location, options)).json as ApiCall[];
    if (row) reasons.add(`${row.HttpStatusCode} ${row.HttpStatusReason}`);
    if (row && row.CompletedOn !== null) return { last: row, reasons: [...reasons] };
    await wait(20);
  }
  throw new Error(`the call ${location} did not end; it was ${[...reasons].join(', ')}`);
}
