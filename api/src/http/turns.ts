import type { ApiApp } from './fastify-types.js';

/** Of the event loop. */
const longTurnMs = 10;

/**
 * Node accepts one connection in each turn of the event loop. If a turn answered every call of those who are connected, new
 * callers would wait for seconds beside 32 that read pages. So a turn begins as many calls as fit; and calls that begin
 * together cost less than each by itself.
 */
export function beginInTurns(app: ApiApp): void {
  const waiting: (() => void)[] = [];
  let [most, begun, begunAt, isTurning] = [1, 0, 0, false];
  // One more behind the last call says how long that took.
  const turn = (): void => {
    const now = performance.now();
    const took = now - begunAt;
    most = took > longTurnMs ? Math.max(1, Math.floor((begun * longTurnMs) / took)) : most + 1;
    const calls = waiting.splice(0, most);
    [begun, begunAt, isTurning] = [calls.length, now, calls.length > 0];
    if (isTurning) setImmediate(turn);
    for (const begin of calls) begin();
  };
  app.addHook('onRequest', (_request, _reply, done) => {
    waiting.push(done);
    if (isTurning) return;
    [begunAt, isTurning] = [performance.now(), true];
    setImmediate(turn);
  });
}
