import { Digester, digestKeyBytes } from '@rollcall/employee-lists';
import { readEmployeeList } from '@rollcall/employee-lists/testing';
import { variantNames, type Bodies, type Variant } from './bodies.js';
import { processorTimeOf } from './floors.js';
import { ratio, span, table } from './report.js';
import { targetSize, type Bench } from './targets.js';
import { timesOf } from './times.js';

const digester = new Digester(Buffer.alloc(digestKeyBytes, 7));
const target = 0.8;

function readWhole(body: Buffer): void {
  const { status } = readEmployeeList(body, digester);
  if (status !== 'valid') throw new Error(`The list is ${status}`);
}

/** The reader by itself, in this process: rules, uniqueness and digests, and nothing else. */
export function benchReading(bench: Bench, bodies: Bodies): void {
  const rows = variantNames.map((variant: Variant) => {
    const body = bodies.bytes(variant);
    readWhole(body);
    const times = timesOf(
      Array.from({ length: bench.repetitions }, () => processorTimeOf(() => readWhole(body))),
    );
    const floor = bodies.floorOf(variant);
    if (variant === 'ordinary' && bodies.size === targetSize)
      bench.targets.note({
        what: 'reading alone: processors',
        unit: 'P',
        target,
        measured: times.minimum / floor.minimum,
      });
    return [variant, span(times), ratio(times.minimum, floor.minimum), span(floor)];
  });
  bench.say(
    `\nReading alone, ${bodies.size} employees\n${table([['body', 'processors, ms', 'P', 'P of it, ms'], ...rows])}`,
  );
}
