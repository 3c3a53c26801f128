import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { employeesBody } from '../generators/employees.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import type { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { companyRounds, measureCompanyCalls, type CompanyBatch, type RoundResult } from './company-calls.js';
import { call, hangUp } from './http-client.js';
import { startService } from './service.js';
import type { Stack } from './stack.js';
import { verdict } from './targets.js';
import { quantile } from './times.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** What the log on a server may cost: calls a second at least, times at most, over those of the embedded log. */
const targets = { rate: 0.7, 'first load': 1.2, 'same bytes': 1.3, 'other order': 1.3, '202': 1.2 };

const largeCases = ['first load', 'same bytes', 'other order', '202'] as const;
type LargeCase = (typeof largeCases)[number];

export interface RatioOptions {
  readonly companies: number;
  /** Employees of the large import. */
  readonly size: number;
  readonly repetitions: number;
}

const connections = 32;
const employees = 50;

/** `npm start`, with the embedded log or with that on the server: nothing else differs. */
const stacksFor = (server: EventStoreDbServer): readonly Stack[] => [
  {
    name: 'embedded',
    config: embeddedAdapters,
    start: ({ dataDir }) => startService('together', dataDir),
  },
  {
    name: 'server',
    config: (dataDir) => ({
      ...embeddedAdapters(dataDir),
      eventLog: { kind: 'eventstoredb', connectionString: server.url },
      streamPrefix: `bench-${randomBytes(6).toString('hex')}-`,
    }),
    start: (config) => startService('together', config.dataDir, adapterEnvironment(config)),
  },
];

interface Measured {
  readonly rounds: Record<CompanyBatch, RoundResult>;
  readonly large: Record<LargeCase, number>;
}

async function measureOn(
  stack: Stack,
  parent: string,
  { companies, size }: RatioOptions,
  serverPid: number,
): Promise<Measured> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  const config = stack.config(dataDir);
  const ids = Array.from({ length: companies + 2 }, (_, n) => n + 1);
  const tokens = await prepareInstallation(config, ids);
  const running = await stack.start(config);
  try {
    const rounds = await measureCompanyCalls({
      ...running,
      serverPid: config.eventLog.kind === 'eventstoredb' ? serverPid : undefined,
      tokens: tokens.slice(0, companies),
      employees,
      connections,
    });
    const large = await measureLarge(running.url, companies + 1, tokens.slice(companies), size);
    return { rounds, large };
  } finally {
    hangUp();
    await running.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** One company loads and repeats a list, the next one has the same list queued. */
async function measureLarge(
  url: string,
  companyId: number,
  [token = '', queuing = '']: readonly string[],
  size: number,
): Promise<Record<LargeCase, number>> {
  const [plain, shuffled] = [employeesBody(size), employeesBody(size, { shuffled: true })];
  const put = async (to: number, body: Buffer, status: number): Promise<number> => {
    const answer = await call({
      url: `${url}/v1.0/Company/${to}/Employee`,
      token: to === companyId ? token : queuing,
      method: 'PUT',
      body,
      ...(status === 202 && { headers: { prefer: 'respond-async' } }),
    });
    if (answer.status !== status) throw new Error(`Answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return answer.milliseconds;
  };
  return {
    'first load': await put(companyId, plain, 200),
    'same bytes': await put(companyId, plain, 200),
    'other order': await put(companyId, shuffled, 200),
    '202': await put(companyId + 1, plain, 202),
  };
}

/**
 * The embedded log against one on a server, in turns. The stand-in is a process of the same machine: what it takes of the
 * processors stands beside, because the service does not have that time.
 */
export async function benchServerRatios(
  server: EventStoreDbServer,
  parent: string,
  options: RatioOptions,
  say: (text: string) => void,
): Promise<void> {
  const [embedded, onServer] = stacksFor(server).map((stack) => ({ stack, runs: [] as Measured[] }));
  if (!embedded || !onServer) return;
  for (let repetition = 0; repetition < options.repetitions; repetition++)
    for (const { stack, runs } of [embedded, onServer])
      runs.push(await measureOn(stack, parent, options, server.pid));
  say(
    `\nThe log on a server over the embedded one: ${options.companies} companies of ${employees}, ${connections} connections`,
  );
  for (const round of companyRounds) {
    const of = (runs: readonly Measured[], figure: keyof RoundResult): number =>
      quantile(
        runs.map(({ rounds }) => rounds[round][figure]),
        0.5,
      );
    const told = (runs: readonly Measured[]): string =>
      `${of(runs, 'perSecond').toFixed(0)} a second, p99 ${of(runs, 'p99').toFixed(0)} ms, ` +
      `${of(runs, 'service').toFixed(1)} ms of the processors each`;
    const rate = of(onServer.runs, 'perSecond') / of(embedded.runs, 'perSecond');
    say(
      `${round.padEnd(9)} ${rate.toFixed(2)}  ${rate >= targets.rate ? 'ok' : 'short'} (${targets.rate}): ` +
        `${told(embedded.runs)}; ${told(onServer.runs)}, and ${of(onServer.runs, 'server').toFixed(1)} of the stand-in`,
    );
  }
  for (const what of largeCases) {
    const of = (runs: readonly Measured[]): number =>
      quantile(
        runs.map(({ large }) => large[what]),
        0.5,
      );
    const ratio = of(onServer.runs) / of(embedded.runs);
    say(
      `${what} of ${options.size}: ${ratio.toFixed(2)}  ${verdict(ratio, targets[what])}: ` +
        `${of(embedded.runs).toFixed(0)} and ${of(onServer.runs).toFixed(0)} ms`,
    );
  }
}
