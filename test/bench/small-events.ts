import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { employeesBody } from '../generators/employees.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { rollcallCommand } from '../support/bundles.js';
import type { Cost } from './employee-cases.js';
import { carryLoad, messageOf } from './load-client.js';
import { processorTimeAtRest } from './processor-time.js';
import type { Bench } from './targets.js';

const run = promisify(execFile);
const replayProgram = fileURLToPath(new URL('replay-entry.js', import.meta.url));
const companies = 100;
const connections = 50;
const target = 20_000;

/** Each company's list of three changes with each call. */
async function fill(dataDir: string, calls: number): Promise<void> {
  const tokens = await prepareDataDir(
    dataDir,
    Array.from({ length: companies }, (_, index) => index + 1),
  );
  const plain = employeesBody(3).toString();
  const bodies = [plain, plain.replace('"EmploymentStatus":0', '"EmploymentStatus":1')];
  const child = await startChildServer({ dataDir });
  const { url, pid } = child;
  let sent = 0;
  const next = (): Buffer | undefined => {
    const [company, body] = [sent % companies, bodies[Math.floor(sent / companies) % 2] ?? plain];
    if (sent++ >= calls) return undefined;
    const path = `/v1.0/Company/${company + 1}/Employee`;
    return messageOf(url, { method: 'PUT', path, token: tokens[company] ?? '', body });
  };
  try {
    await carryLoad({ url, connections, next });
    await processorTimeAtRest([pid]);
  } finally {
    await child.kill();
  }
}

/** How fast `projections rebuild` and `audit verify` are on a log of many small events. */
export async function benchSmallEvents({ parent, say, targets }: Bench, calls: number): Promise<void> {
  const dataDir = await mkdtemp(join(parent, 'small-events-'));
  try {
    await fill(dataDir, calls);
    const begun = performance.now();
    const env = { ...process.env, DATA_DIR: dataDir };
    const verified = await run(process.execPath, [rollcallCommand, 'audit', 'verify', '--json'], { env });
    const took = performance.now() - begun;
    const { counts } = JSON.parse(verified.stdout) as { readonly counts: { readonly events: number } };
    const replayed = await run(process.execPath, [replayProgram, dataDir]);
    const { clock } = JSON.parse(replayed.stdout) as Cost;
    const rates = { 'projections rebuild': counts.events / clock, 'audit verify': counts.events / took };
    say(`\nA log of ${counts.events} small events`);
    for (const [what, each] of Object.entries(rates)) {
      const measured = each * 1_000;
      say(`${what}: ${measured.toFixed(0)} events a second`);
      targets.note({ what: `${what} of small events`, unit: 'a second', target, measured, isLeast: true });
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
