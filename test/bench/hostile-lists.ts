import { Digester, digestKeyBytes } from '@rollcall/employee-lists';
import {
  hostileShapes,
  listOf,
  plainShape,
  type ElementShape,
  readEmployeeList,
} from '@rollcall/employee-lists/testing';
import { processorTimeOf } from './floors.js';
import { watchMemory } from './memory.js';
import { ratio, table } from './report.js';
import type { Bench } from './targets.js';

const digester = new Digester(Buffer.alloc(digestKeyBytes, 7));
const target = 5;

interface Cost {
  /** Nanoseconds of the processors for each byte. */
  readonly processors: number;
  /** What the process weighs more while it reads, for each byte. */
  readonly memory: number;
  readonly status: string;
}

function costOf(shape: ElementShape, megabytes: number, repetitions: number): Cost {
  const body = listOf(shape, megabytes * 1_000_000);
  const before = process.memoryUsage.rss();
  const peak = watchMemory(process.pid);
  let status = '';
  const times = Array.from({ length: repetitions }, () =>
    processorTimeOf(() => void (status = readEmployeeList(body, digester).status)),
  );
  const memory = Math.max(0, peak().rss - before) / body.length;
  return { processors: (Math.min(...times) * 1_000_000) / body.length, memory, status };
}

/** The reader by itself: what a list that somebody sends to hold others up costs beside a plain one of its size. */
export function benchHostileLists({ repetitions, say, targets }: Bench, megabytes: number): void {
  // The first one warms it.
  const [, plain] = [1, 2].map(() => costOf(plainShape, megabytes, repetitions));
  if (plain === undefined) return;
  const costs = Object.entries(hostileShapes).map(([name, shape]) => ({
    name,
    ...costOf(shape, megabytes, repetitions),
  }));
  const rows = costs
    .toSorted((one, other) => other.processors - one.processors)
    .map(({ name, status, processors, memory }) => [
      name,
      status,
      ratio(processors, plain.processors),
      memory.toFixed(2),
    ]);
  const head = ['list', '', 'processors of a plain one', 'memory, in bodies'];
  const all = [head, ['plain', plain.status, '1.00', plain.memory.toFixed(2)], ...rows];
  say(
    `\nHostile lists of ${megabytes} MB; a plain one takes ${plain.processors.toFixed(1)} ns a byte\n${table(all)}`,
  );
  const worst = Math.max(...costs.map(({ processors }) => processors)) / plain.processors;
  targets.note({ what: 'hostile lists: processors', unit: 'plain lists', target, measured: worst });
}
