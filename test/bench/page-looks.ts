import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { keyPaths } from '@rollcall/adapters';
import { ada, signedIn, type Visitor } from '../flows/page.support.js';
import { employeesBody } from '../generators/employees.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { carryLoad, messageOf } from './load-client.js';
import { processorTimeAtRest } from './processor-time.js';
import { targetSize, type Bench } from './targets.js';
import { quantile } from './times.js';

/** Company 1 has a list of 100,000, company 2 the imports, of three employees each. */
const companies = [1, 2];
const mostRounds = 100;
const target = 150;

const paths = {
  start: () => '/operations',
  'list of imports': () => '/operations/imports',
  'failed ones of a company': () => '/operations/imports?company=2&state=failed',
  'one import': (operationId: string) => `/operations/imports/${operationId}`,
  'its difference': (operationId: string) => `/operations/imports/${operationId}/difference`,
  'a company of 100,000': () => '/operations/companies/1',
  'a company of many imports': () => '/operations/companies/2',
  'list of employees': () => '/operations/companies/1/employees',
  'an employee of many changes': () => '/operations/companies/2/employees/1',
  'found by e-mail': (_: string, email: string) => `/operations/search?q=${encodeURIComponent(email)}`,
} as const;

const changed = (body: Buffer): string =>
  body.toString().replaceAll('"EmploymentStatus":0', '"EmploymentStatus":1');

interface Sender {
  readonly url: string;
  readonly token: string;
  readonly companyId: number;
}

const put = ({ url, token, companyId }: Sender, body: string): Buffer =>
  messageOf(url, { method: 'PUT', path: `/v1.0/Company/${companyId}/Employee`, token, body });

interface Filled {
  readonly imports: number;
  /** Employees of company 1. */
  readonly size: number;
}

async function fill(url: string, tokens: readonly string[], { imports, size }: Filled): Promise<void> {
  const [one, two] = companies.map((companyId, at) => ({ url, companyId, token: tokens[at] ?? '' }));
  if (one === undefined || two === undefined) return;
  let large: Buffer | undefined = put(one, employeesBody(size).toString());
  await carryLoad({ url, connections: 1, next: () => [large, (large = undefined)][0] });
  const small = employeesBody(3);
  const bodies = [put(two, small.toString()), put(two, changed(small))];
  let sent = 0;
  await carryLoad({ url, connections: 32, next: () => (sent++ < imports ? bodies[sent % 2] : undefined) });
}

const firstIn = async (visitor: Visitor, path: string, pattern: RegExp): Promise<string> =>
  pattern.exec((await visitor.get(path)).text)?.[0] ?? '';

/** Milliseconds of each look, one after the other, each page in turn. */
async function looks(visitor: Visitor, rounds: number): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map<string, number[]>(Object.keys(paths).map((name) => [name, []]));
  const operationId = await firstIn(visitor, '/operations/imports?company=2', /(?<=imports\/)[0-9a-f-]{36}/);
  const email = await firstIn(visitor, '/operations/companies/1/employees', /[\w.+-]+@[\w.-]+/);
  for (let round = 0; round < rounds; round += 1)
    for (const [name, pathOf] of Object.entries(paths)) {
      const begun = performance.now();
      const { status } = await visitor.get(pathOf(operationId, email));
      times.get(name)?.push(performance.now() - begun);
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    }
  return times;
}

/** How long looks at the operations page take with so many imports, beside imports of 100,000. */
export async function benchPageLooks({ parent, say, targets }: Bench, imports: number): Promise<void> {
  const dataDir = await mkdtemp(join(parent, 'page-looks-'));
  // A small try has a small list.
  const size = Math.min(targetSize, imports * 20);
  try {
    const tokens = await prepareDataDir(dataDir, companies);
    const server = await startChildServer({ dataDir });
    const { url, pid } = server;
    await fill(url, tokens, { imports, size });
    await processorTimeAtRest([pid]);
    const digestKey = await readFile(join(keyPaths(dataDir).folder, 'digest.key'));
    const visitor = await signedIn({ url, store: { digestKey } }, { ...ada, companyId: null });
    const one = { url, companyId: 1, token: tokens[0] ?? '' };
    // Made before: this process looks at the clock while they are sent.
    const messages = [changed(employeesBody(size)), employeesBody(size).toString()].map((body) =>
      put(one, body),
    );
    let [isLooking, sent] = [true, 0];
    const next = (): Buffer | undefined => (isLooking ? messages[sent++ % 2] : undefined);
    const beside = carryLoad({ url, connections: 1, pauseMs: 1_000, next });
    await wait(1_000);
    const times = await looks(visitor, Math.min(mostRounds, imports)).finally(() => (isLooking = false));
    await beside;
    await server.kill();
    say(
      `\nThe operations page with ${size} employees and ${imports} imports, beside ${sent} imports of them`,
    );
    for (const [name, each] of times) {
      const [median, measured] = [quantile(each, 0.5), quantile(each, 0.99)];
      say(`${name}: median ${median.toFixed(0)} ms, p99 ${measured.toFixed(0)} ms`);
      targets.note({ what: `page, ${name}: p99`, unit: 'ms', target, measured });
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
