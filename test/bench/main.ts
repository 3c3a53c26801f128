import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bodies } from './bodies.js';
import { benchDisk } from './disk.js';
import { makeTemplate, measureOnce, type Costs } from './employee-cases.js';
import { employeeTable, noteEmployees, noteGrowth, type EmployeeResults } from './employee-report.js';
import { benchHostileLists } from './hostile-lists.js';
import { measureInvitations } from './invitation-cases.js';
import { benchNeighbours } from './neighbour-cases.js';
import { help, readOptions, type BenchOptions } from './options.js';
import { sayOtherCallers } from './other-callers-report.js';
import { measureOtherCallers } from './other-callers.js';
import { benchPageLooks } from './page-looks.js';
import { benchProjectors } from './projectors.js';
import { benchReading } from './reading-alone.js';
import { benchKeptCalls } from './kept-calls.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { benchServerRatios } from './server-ratios.js';
import { shapeNames, type Shape } from './service.js';
import { benchSmallCalls } from './small-calls-report.js';
import { benchSmallEvents } from './small-events.js';
import { benchStacks, benchWorkers } from './stacks.js';
import { Targets, targetSize, type Bench } from './targets.js';
import { benchNights } from './tenants-report.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function benchSize(bench: Bench, bodies: Bodies, shape: Shape): Promise<EmployeeResults> {
  const { parent, repetitions, targets } = bench;
  const template = await makeTemplate(parent);
  const runs: Costs[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++)
    runs.push(await measureOnce(template, parent, bodies, shape));
  const results = { bodies, runs };
  say(employeeTable(results, shapeNames[shape]));
  noteEmployees(results, shape, targets);
  if (shape === 'together') await benchDisk(bench, template, bodies);
  return results;
}

/** All sizes in each shape, and how far the cases grow between those that the targets name. */
async function benchEmployees(bench: Bench, { sizes, shapes }: BenchOptions): Promise<void> {
  const base = new Map<Shape, EmployeeResults>();
  for (const size of sizes) {
    const bodies = new Bodies(bench.parent, size, bench.repetitions);
    benchReading(bench, bodies);
    for (const shape of shapes) {
      const results = await benchSize(bench, bodies, shape);
      const small = base.get(shape);
      if (size === targetSize) base.set(shape, results);
      else if (small) noteGrowth(small, results, shape, bench.targets);
    }
  }
}

/** Of the mails a second where many are due. */
const invitationTargets = { outbox: 2_000, 'SMTP server': 1_500 } as const;
const manyInvitations = 10_000;

async function benchInvitations({ parent, targets }: Bench, count: number): Promise<void> {
  say(`\n${count} invitations due at once`);
  for (const result of await measureInvitations(parent, count)) {
    const { mailer, isAgain, perSecond, median, p99, last } = result;
    const by = isAgain ? `${mailer}, again` : mailer;
    const what = `${count} invitations due at once, ${by}`;
    say(`${by}: ${perSecond.toFixed(0)} a second; from due to sent median ${median} ms, p99 ${p99} ms`);
    if (count < manyInvitations)
      targets.note({ what: `${what}: the last one`, unit: 'ms', target: 1_000, measured: last });
    else
      targets.note({
        ...{ what, unit: 'a second', target: invitationTargets[mailer], measured: perSecond, isLeast: true },
      });
  }
}

async function benchRatios({ parent, repetitions }: Bench, companies: number): Promise<void> {
  const server = await EventStoreDbServer.start();
  try {
    const options = { companies, size: targetSize, repetitions };
    await benchServerRatios(server, parent, options, say);
  } finally {
    await server.stop();
  }
}

async function benchService(bench: Bench, options: BenchOptions): Promise<void> {
  const { parent } = bench;
  await benchEmployees(bench, options);
  for (const size of options.others)
    for (const shape of options.shapes)
      sayOtherCallers(await measureOtherCallers(parent, size, shape), bench);
  if (options.connections.length > 0) await benchSmallCalls(bench, options);
  for (const megabytes of options.hostile) benchHostileLists(bench, megabytes);
  for (const count of options.invitations) await benchInvitations(bench, count);
  for (const calls of options.events) await benchSmallEvents(bench, calls);
  for (const companies of options.ratios) await benchRatios(bench, companies);
  await benchNights(bench, options);
}

async function benchEmbedded(bench: Bench, options: BenchOptions): Promise<void> {
  if (options.stack === 'peer') return benchNights(bench, options);
  if (options.stack === 'projectors') return benchProjectors(bench, options.tenants);
  if (options.stack === 'calls') return benchKeptCalls(bench, options.calls);
  if (options.stack === 'embedded') await benchService(bench, options);
  for (const imports of options.looks) await benchPageLooks(bench, imports);
}

async function main(options: BenchOptions): Promise<void> {
  // What is measured beside invitations is measured without them.
  process.env['INVITATION_RATE'] = '0';
  const parent = await mkdtemp(join(options.folder ?? tmpdir(), 'rollcall-bench-'));
  // An interrupted run leaves nothing behind either; servers end with this process.
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  say(
    `Node ${process.version}, ${options.repetitions} repetitions, minimum and maximum; P: processor time of JSON.parse of the same body`,
  );
  const bench = { parent, repetitions: options.repetitions, say, targets: new Targets() };
  if (options.stack === 'neighbours') await benchNeighbours(parent, say);
  else if (options.stack === 'servers') await benchStacks(bench, options);
  else if (options.stack === 'workers') await benchWorkers(bench, options);
  else {
    await benchEmbedded(bench, options);
    const what = `Targets, of a machine that does nothing else; the minimum of ${bench.repetitions}`;
    say(`\n${what}\n${bench.targets.table()}`);
  }
}

// Each child process is ended with this one.
process.setMaxListeners(0);
const options = readOptions(process.argv.slice(2));
if (options) await main(options);
else say(help);
