import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openAdapters, type AdaptersConfig } from '@rollcall/adapters';
import { readPendingImports } from '@rollcall/application';

import { employeesBody } from '../generators/employees.js';
import { startChildParts, type ChildParts } from '../servers/child-parts.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { until } from '../support/until.js';
import { processorTime } from './processor-time.js';
import type { Stack } from './stack.js';
import type { Bench } from './targets.js';

const employees = 500;
const atOnce = 8;
const longestMs = 3_600_000;

/** A process that has used no processor for so long has nothing left to do for its start. */
const restMs = 300;

async function queueOne(url: string, companyId: number, token: string, body: Buffer): Promise<void> {
  const answer = await fetch(`${url}/v1.0/Company/${companyId}/Employee`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'respond-async',
    },
    body: new Uint8Array(body),
  });
  if (answer.status !== 202) throw new Error(`Answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** A list for each company, several calls at a time. */
async function queueAll(url: string, tokens: readonly string[]): Promise<void> {
  const body = employeesBody(employees);
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let index = next++; index < tokens.length; index = next++)
      await queueOne(url, index + 1, tokens[index] ?? '', body);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}

/** Resolves when all of these stand: none has anything left to do for its start. */
async function standing(pids: readonly number[]): Promise<void> {
  let before = -1;
  await until(
    'all workers stand',
    async () => {
      const used = processorTime(pids);
      if (used - before <= 10) return true;
      before = used;
      await wait(restMs);
      return false;
    },
    { withinMs: longestMs },
  );
}

/** What one run came to. */
interface QueuedRun {
  readonly seconds: number;
  /** Of the workers, and of the api and the projector beside them (ms). */
  readonly workersTime: number;
  readonly othersTime: number;
  readonly counts: string;
}

interface Load {
  readonly workers: number;
  readonly companies: number;
}

/**
 * Companies with a list of 500 employees each, carried out by so many workers. They stand before anything is queued and are
 * held until everything is; the clock starts when they go on.
 */
async function runOnce(stack: Stack, parent: string, { workers, companies }: Load): Promise<QueuedRun> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  const config = stack.config(dataDir);
  const companyIds = Array.from({ length: companies }, (_, index) => index + 1);
  const tokens = await prepareInstallation(config, companyIds);
  const parts = await startChildParts({ dataDir, env: adapterEnvironment(config), workers });
  try {
    await standing(parts.workers.map(({ pid }) => pid));
    for (const worker of parts.workers) worker.signal('SIGSTOP');
    await queueAll(parts.apis[0]?.url ?? '', tokens);
    return await carriedOut(config, parts, companies);
  } finally {
    await parts.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function carriedOut(config: AdaptersConfig, parts: ChildParts, companies: number): Promise<QueuedRun> {
  const adapters = await openAdapters(config);
  const pending = async (): Promise<number> => (await readPendingImports(adapters.readModels)).length;
  const reach = (what: string, count: number): Promise<unknown> =>
    until(what, async () => (await pending()) === count, { withinMs: longestMs });
  const workersTime = (): number => processorTime(parts.workers.map(({ pid }) => pid));
  const othersTime = (): number => processorTime([...parts.apis, ...parts.projectors].map(({ pid }) => pid));
  try {
    await reach('all are pending', companies);
    const [begun, ofWorkers, ofOthers] = [performance.now(), workersTime(), othersTime()];
    for (const worker of parts.workers) worker.signal('SIGCONT');
    await reach('none is pending', 0);
    return {
      seconds: (performance.now() - begun) / 1_000,
      workersTime: workersTime() - ofWorkers,
      othersTime: othersTime() - ofOthers,
      counts: await countsOf(parts),
    };
  } finally {
    await adapters.close();
  }
}

const counted =
  /^rollcall_(import_run_duration_seconds_count|queue_redeliveries_total|worker_events_total)\{.*?(\w+)="([\w-]+)"\} (\d+)$/;

function countIn(line: string): { readonly what: string; readonly count: number } {
  const [, family = '', , label = '', count = ''] = counted.exec(line) ?? [];
  return { what: `${family.split('_', 2).join(' ')} ${label}`, count: Number(count) };
}

/** What the workers did by their own count, for example `run done 20, event joined 1` (docs/alerts.md). */
async function countsOf({ workers }: ChildParts): Promise<string> {
  const sums = new Map<string, number>();
  for (const { metricsUrl } of workers) {
    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
    for (const { what, count } of metrics.split('\n').map(countIn))
      if (count > 0) sums.set(what, (sums.get(what) ?? 0) + count);
  }
  return [...sums].map(([what, sum]) => `${what} ${sum}`).join(', ');
}

/** The shortest of some runs. */
export async function measureQueued(
  stack: Stack,
  { parent, repetitions }: Pick<Bench, 'parent' | 'repetitions'>,
  load: Load,
): Promise<string> {
  const runs: QueuedRun[] = [];
  while (runs.length < repetitions) runs.push(await runOnce(stack, parent, load));
  const seconds = Math.min(...runs.map((run) => run.seconds));
  const rate = load.companies / seconds;
  const each = (of: (run: QueuedRun) => number): string =>
    (Math.min(...runs.map(of)) / load.companies).toFixed(1);
  return (
    `Queued imports, ${stack.name.split(',')[0]}, ${load.workers} workers: ${load.companies} of ${employees} employees in ` +
    `${seconds.toFixed(2)} s, ${rate.toFixed(0)} imports (${(rate * employees).toFixed(0)} employees) a second; of the ` +
    `processors an import takes ${each((run) => run.workersTime)} ms in the workers and ` +
    `${each((run) => run.othersTime)} ms in api and projector; ${runs.map(({ counts }) => counts).join(' | ')}`
  );
}
