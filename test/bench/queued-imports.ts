import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapters } from '@rollcall/adapters';
import { readPendingImports } from '@rollcall/application';

import { employeesBody } from '../generators/employees.js';
import { startChild, type ChildProcess } from '../servers/child-process.js';
import { startChildParts } from '../servers/child-parts.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { until } from '../support/until.js';
import type { Stack } from './stack.js';

const employees = 500;
const atOnce = 8;
const longestMs = 3_600_000;

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

/** A list for each company, several calls at a time; how long it took until all were accepted (ms). */
async function queueAll(url: string, tokens: readonly string[]): Promise<number> {
  const body = employeesBody(employees);
  const begun = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let index = next++; index < tokens.length; index = next++)
      await queueOne(url, index + 1, tokens[index] ?? '', body);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return performance.now() - begun;
}

/** Companies with a list of 500 employees each, accepted while no worker runs, then carried out by so many workers. */
export async function measureQueued(
  stack: Stack,
  parent: string,
  { workers, companies }: { readonly workers: number; readonly companies: number },
): Promise<string> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  const config = stack.config(dataDir);
  const tokens = await prepareInstallation(
    config,
    Array.from({ length: companies }, (_, index) => index + 1),
  );
  const env = adapterEnvironment(config);
  const parts = await startChildParts({ dataDir, env, workers: 0 });
  const started: Promise<ChildProcess>[] = [];
  const adapters = await openAdapters(config);
  try {
    const accepted = await queueAll(parts.apis[0]?.url ?? '', tokens);
    const pending = async (): Promise<number> => (await readPendingImports(adapters.readModels)).length;
    await until('all are pending', async () => (await pending()) >= companies, {
      withinMs: longestMs,
      everyMs: 50,
    });
    for (let worker = 0; worker < workers; worker++) started.push(startChild('worker', { dataDir, env }));
    await Promise.race(started);
    const begun = performance.now();
    await until('none is pending', async () => (await pending()) === 0, { withinMs: longestMs });
    const seconds = (performance.now() - begun) / 1_000;
    const rate = companies / seconds;
    return (
      `Queued imports, ${stack.name.split(',')[0]}, ${workers} workers: ${companies} of ${employees} employees in ` +
      `${seconds.toFixed(1)} s, ${rate.toFixed(0)} imports (${(rate * employees).toFixed(0)} employees) a second; ` +
      `accepted in ${(accepted / 1_000).toFixed(1)} s`
    );
  } finally {
    await Promise.all(started.map(async (worker) => (await worker).kill()));
    await parts.kill();
    await adapters.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
