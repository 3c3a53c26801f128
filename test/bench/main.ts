import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodiesOf, caseNames, makeTemplate, measureOnce, type CaseName } from './employee-cases.js';
import { appendFloor, parseFloor, timesOf, type Times } from './floors.js';
import type { Measured } from './memory.js';
import { measureInvitations } from './invitation-cases.js';
import { benchNeighbours } from './neighbour-cases.js';
import { readOptions, type BenchOptions } from './options.js';
import { table, verdict, type Row } from './report.js';
import { sayOtherCallers } from './other-callers-report.js';
import { measureOtherCallers } from './other-callers.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { benchServerRatios } from './server-ratios.js';
import { benchStacks } from './stacks.js';
import { measureSurveys } from './survey-cases.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Where the targets hold, and what each case may cost there, in P. */
const targetSize = 100_000;
const targets: Readonly<Record<CaseName, number>> = {
  'first load': 7,
  'same bytes': 1,
  'other order and spacing': 2.2,
  '1 % changed': 2.5,
  'GET of all': 3,
  replay: 8,
};
const growthTarget = 1.2;
const surveyTarget = 0.8;

interface SizeResult {
  readonly size: number;
  readonly floor: Times;
  readonly firstLoad: Times;
}

const highest = (runs: readonly Measured[]): { rss: number; anonymous: number } => ({
  rss: Math.max(...runs.map(({ rss }) => rss)),
  anonymous: Math.max(...runs.map(({ anonymous }) => anonymous)),
});
const timesIn = (runs: readonly Measured[]): Times => timesOf(runs.map(({ milliseconds }) => milliseconds));

function rowOf(
  name: CaseName,
  runs: readonly Measured[],
  context: { size: number; floor: Times; body: number },
): Row {
  return {
    what: name,
    times: timesIn(runs),
    floor: context.floor,
    sign: 'P',
    memory: { ...highest(runs), body: context.body },
    ...(context.size === targetSize && { target: targets[name] }),
  };
}

async function benchSize(size: number, parent: string, repetitions: number): Promise<SizeResult> {
  const bodies = bodiesOf(size);
  const template = await makeTemplate(parent);
  const floor = parseFloor(bodies.plain, repetitions);
  const runs: Awaited<ReturnType<typeof measureOnce>>[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++)
    runs.push(await measureOnce(template, parent, bodies, size));
  const body = bodies.plain.length;
  const rows = caseNames.map((name) =>
    rowOf(
      name,
      runs.map((run) => run[name]),
      { size, floor, body },
    ),
  );
  say(
    `\n${size} employees, ${(body / 1e6).toFixed(1)} MB; P = ${floor.minimum.toFixed(1)} ms, median ${floor.median.toFixed(1)} ms`,
  );
  say(table(rows));
  return { size, floor, firstLoad: timesIn(runs.map((run) => run['first load'])) };
}

/** First load at the largest size over the target's, against the same quotient of P. */
function sayGrowth(results: readonly SizeResult[]): void {
  const base = results.find(({ size }) => size === targetSize);
  const large = results.find(({ size }) => size > targetSize);
  if (!base || !large) return;
  const growth =
    large.firstLoad.minimum / base.firstLoad.minimum / (large.floor.minimum / base.floor.minimum);
  say(
    `\nFirst load, ${large.size} over ${base.size}, to the same of P: ${growth.toFixed(2)}  ${verdict(growth, growthTarget)}`,
  );
}

async function benchSurveys(parent: string, repetitions: number): Promise<void> {
  const floor = appendFloor(parent, 200);
  say(`\nDurable survey POSTs; F = ${floor.minimum.toFixed(3)} ms, median ${floor.median.toFixed(3)} ms`);
  const results = await measureSurveys(parent, repetitions);
  const row = (what: string, runs: readonly Measured[]): Row => ({
    what,
    times: timesIn(runs),
    floor,
    sign: 'F',
    memory: highest(runs),
  });
  say(
    table(
      results.flatMap(({ connections, durable, unsynced }) => [
        row(`one survey, ${connections} at once`, durable),
        row(`one survey, ${connections} at once, no sync`, unsynced),
      ]),
    ),
  );
  for (const { connections, durable, unsynced } of results) {
    const [own, other] = [timesIn(durable), timesIn(unsynced)];
    const share = other.minimum / own.minimum;
    const judged = connections === 100 ? `  ${share >= surveyTarget ? 'ok' : 'short'} (${surveyTarget})` : '';
    const rate = (milliseconds: number): string => (1000 / milliseconds).toFixed(0);
    say(
      `${connections} connections: ${rate(own.minimum)} a second (median ${rate(own.median)}), ` +
        `without sync ${rate(other.minimum)} (median ${rate(other.median)}): ${share.toFixed(2)}${judged}`,
    );
  }
}

async function benchInvitations(parent: string, count: number): Promise<void> {
  say(`\n${count} invitations due at once`);
  for (const { mailer, perSecond, median, p99 } of await measureInvitations(parent, count))
    say(`${mailer}: ${perSecond.toFixed(0)} a second; from due to sent median ${median} ms, p99 ${p99} ms`);
}

const ratioRepetitions = 3;

async function benchRatios(parent: string, companies: number): Promise<void> {
  const server = await EventStoreDbServer.start();
  try {
    const options = { companies, size: targetSize, repetitions: ratioRepetitions };
    await benchServerRatios(server, parent, options, say);
  } finally {
    await server.stop();
  }
}

async function main(options: BenchOptions): Promise<void> {
  // What is measured beside invitations is measured without them.
  process.env['INVITATION_RATE'] = '0';
  const parent = await mkdtemp(join(options.folder ?? tmpdir(), 'rollcall-bench-'));
  // An interrupted run leaves nothing behind either; servers end with this process.
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  say(
    `Node ${process.version}, ${options.repetitions} repetitions; ratios to P (JSON.parse) and F (append of 454 bytes, fdatasync)`,
  );
  if (options.stack === 'neighbours') await benchNeighbours(parent, say);
  else if (options.stack === 'servers') await benchStacks(parent, options, say);
  else await benchService(parent, options);
}

async function benchService(parent: string, options: BenchOptions): Promise<void> {
  const results: SizeResult[] = [];
  for (const size of options.sizes) results.push(await benchSize(size, parent, options.repetitions));
  sayGrowth(results);
  for (const size of options.others)
    for (const shape of options.shapes) sayOtherCallers(await measureOtherCallers(parent, size, shape), say);
  if (options.surveys) await benchSurveys(parent, options.repetitions);
  for (const count of options.invitations) await benchInvitations(parent, count);
  for (const companies of options.ratios) await benchRatios(parent, companies);
}

// Each child process is ended with this one.
process.setMaxListeners(0);
await main(readOptions(process.argv.slice(2)));
