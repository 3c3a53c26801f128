import type { Times } from './floors.js';
import type { LargeImport, Seen } from './other-callers.js';
import { verdict } from './report.js';

const p99Target = 5;
const stallTarget = 50;
const acceptedTarget = 3.5;
const doneTarget = 1.2;
const memoryTarget = 1.5;

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;

const line = (what: string, { loop, get, put, calls }: Seen): string =>
  `  ${what.padEnd(6)} event loop p99 ${ms(loop.p99)}, worst stall ${ms(loop.worst)}; ` +
  `p99 of GET ApiCalls ${ms(get)}, of a PUT of 3 ${ms(put)} (${calls} calls)`;

const ratio = (what: string, value: number, target: number): string =>
  `  ${what}: ${value.toFixed(2)}  ${verdict(value, target)}`;

/** A large queued import, and what others noticed of it. */
export function sayOtherCallers(result: LargeImport, floor: Times, say: (text: string) => void): void {
  const { idle, busy, bodyBytes, accepted, done, direct, peak, after } = result;
  say(
    [
      `\nOther callers beside a queued import of ${result.size} employees, ${(bodyBytes / 1e6).toFixed(1)} MB`,
      line('idle', idle),
      line('busy', busy),
      ratio('p99 of GET ApiCalls, busy over idle', busy.get / idle.get, p99Target),
      ratio('p99 of the PUT of 3, busy over idle', busy.put / idle.put, p99Target),
      ratio('worst stall of the event loop, ms', busy.loop.worst, stallTarget),
      ratio(`202 after ${ms(accepted)}, in P`, accepted / floor.minimum, acceptedTarget),
      ratio(`200 OK after ${ms(done)}, over the direct call's ${ms(direct)}`, done / direct, doneTarget),
      ratio(`peak RSS ${mebibytes(peak)} above idle, in bodies`, peak / bodyBytes, memoryTarget),
      `  RSS above idle some seconds later: ${mebibytes(after)}`,
    ].join('\n'),
  );
}
