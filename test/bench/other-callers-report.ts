import type { LargeImport, ProcessMemory, Seen } from './other-callers.js';
import { shapeNames } from './service.js';
import { targetSize, verdict, type Bench } from './targets.js';
import type { Times } from './times.js';

const p99Target = 5;
const stallTarget = 50;
const acceptedTarget = 1.2;
const doneTarget = 1.15;
const memoryTarget = 0.5;

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;

const line = (what: string, { loop, get, put, calls }: Seen): string =>
  `  ${what.padEnd(6)} event loop p99 ${ms(loop.p99)}, worst stall ${ms(loop.worst)} (own ${ms(loop.worstOwn)}); ` +
  `p99 of GET ApiCalls ${ms(get)}, of a PUT of 3 ${ms(put)} (${calls} calls)`;

const ratio = (what: string, value: number, target: number): string =>
  `  ${what}: ${value.toFixed(2)}  ${verdict(value, target)}`;

const times = ({ minimum, median }: Times): string => `${ms(minimum)} (median ${ms(median)})`;

/**
 * The target of memory is that of the api: its process alone where the parts are apart. What is anonymous is the process's
 * own; the rest are pages of the store's files, which the kernel takes back when it needs them.
 */
const memoryLine = ({ name, atRest, peak, after }: ProcessMemory, bodyBytes: number): string =>
  `  memory of ${name}: at rest ${mebibytes(atRest.rss)}; peak ${mebibytes(peak.rss)} above (${mebibytes(peak.anonymous)} anonymous): ` +
  `${(peak.rss / bodyBytes).toFixed(2)} bodies (${(peak.anonymous / bodyBytes).toFixed(2)})` +
  `${name === 'api' ? `  ${verdict(peak.rss / bodyBytes, memoryTarget)}` : ''}; ` +
  `5 s later ${mebibytes(after.rss)} above (${mebibytes(after.anonymous)})`;

function noteQueued(result: LargeImport, { targets }: Bench): void {
  const { shape, accepted, done, directRow, floor, processor } = result;
  const over = { unit: 'times', target: doneTarget };
  const inP = ({ minimum }: Times) => ({
    unit: 'P',
    target: acceptedTarget,
    measured: minimum / floor.minimum,
  });
  targets.note({ what: `202, ${shapeNames[shape]}`, ...inP(accepted) });
  targets.note({ what: `202, ${shapeNames[shape]}: processors`, ...inP(processor.accepted) });
  const what = `queued over direct, to 200 OK, ${shapeNames[shape]}`;
  targets.note({ what, ...over, measured: done.minimum / directRow.minimum });
  const measured = processor.queued.minimum / processor.direct.minimum;
  targets.note({ what: `${what}: processors`, ...over, measured });
}

/** Large queued imports, and what others noticed of one. */
export function sayOtherCallers(result: LargeImport, bench: Bench): void {
  bench.say(othersText(result));
  if (result.size === targetSize) noteQueued(result, bench);
}

function othersText(result: LargeImport): string {
  const { shape, size, bodyBytes, idle, busy, memory, accepted, done, direct, directRow, floor, processor } =
    result;
  return [
    `\nOther callers beside a queued import of ${size} employees, ${(bodyBytes / 1e6).toFixed(1)} MB; ${shapeNames[shape]}`,
    line('idle', idle),
    line('busy', busy),
    ratio('p99 of GET ApiCalls, busy over idle', busy.get / idle.get, p99Target),
    ratio('p99 of the PUT of 3, busy over idle', busy.put / idle.put, p99Target),
    ratio('worst stall of the event loop, ms', busy.loop.worst, stallTarget),
    ...memory.map((each) => memoryLine(each, bodyBytes)),
    `  by themselves, each a first load; P = ${times(floor)}:`,
    ratio(`202 after ${times(accepted)}, in P`, accepted.minimum / floor.minimum, acceptedTarget),
    ratio(
      `200 OK ${times(done)} after the 202, over the direct call's ${times(direct)}`,
      done.minimum / direct.minimum,
      doneTarget,
    ),
    `  the direct call's row said 200 OK after ${times(directRow)}: ${(done.minimum / directRow.minimum).toFixed(2)} of that`,
    `  of the medians: 202 in ${(accepted.median / floor.median).toFixed(2)} P, 200 OK ${(done.median / direct.median).toFixed(2)} of the direct call`,
    `  processors until the 202: ${times(processor.accepted)}`,
    `  processors until 200 OK: queued ${times(processor.queued)}, direct ${times(processor.direct)}: ` +
      (processor.queued.minimum / processor.direct.minimum).toFixed(2),
  ].join('\n');
}
