import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { employeesBody } from '../generators/employees.js';
import { processorTime } from './processor-time.js';

/** The rounds, in their order: each company sends its list once in each. */
export const companyRounds = ['first', 'changed', 'repeated'] as const;
export type CompanyRound = (typeof companyRounds)[number];

export interface RoundResult {
  readonly perSecond: number;
  /** Milliseconds of one call. */
  readonly median: number;
  readonly p99: number;
  /** Milliseconds of the processors for each call: of the service, and of the server that keeps its log. */
  readonly service: number;
  readonly server: number;
}

export interface CompanyCalls {
  readonly url: string;
  readonly pid: number;
  /** Of the server that keeps the log, where there is one. */
  readonly serverPid: number | undefined;
  /** One for each company, from company 1 on. */
  readonly tokens: readonly string[];
  readonly employees: number;
  readonly connections: number;
}

const bodies = (employees: number): Readonly<Record<CompanyRound, Buffer>> => {
  const plain = employeesBody(employees);
  const changed = Buffer.from(plain.toString().replace('"EmploymentStatus":0', '"EmploymentStatus":1'));
  return { first: plain, changed, repeated: changed };
};

async function put(agent: Agent, url: string, token: string, body: Buffer): Promise<number> {
  const begun = performance.now();
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  const outgoing = request(url, { method: 'PUT', headers, agent });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.end(body);
  const [incoming] = await answered;
  let text = '';
  incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(incoming, 'end');
  if (incoming.statusCode !== 200) throw new Error(`Answered ${incoming.statusCode}: ${text.slice(0, 300)}`);
  return performance.now() - begun;
}

/** Every company sends the body once, over so many connections at a time. */
async function round(calls: CompanyCalls, body: Buffer): Promise<RoundResult> {
  const { url, pid, serverPid, tokens, connections } = calls;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const pids = { service: [pid], server: serverPid === undefined ? [] : [serverPid] };
  const before = { service: processorTime(pids.service), server: processorTime(pids.server) };
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let index = next++; index < tokens.length; index = next++)
      times.push(await put(agent, `${url}/v1.0/Company/${index + 1}/Employee`, tokens[index] ?? '', body));
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, caller));
  const seconds = (performance.now() - begun) / 1_000;
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  const spent = (whose: keyof typeof pids): number =>
    (processorTime(pids[whose]) - before[whose]) / tokens.length;
  return {
    perSecond: tokens.length / seconds,
    median: at(0.5),
    p99: at(0.99),
    service: spent('service'),
    server: spent('server'),
  };
}

/** All rounds, one after the other. */
export async function measureCompanyCalls(calls: CompanyCalls): Promise<Record<CompanyRound, RoundResult>> {
  const { first, changed, repeated } = bodies(calls.employees);
  return {
    first: await round(calls, first),
    changed: await round(calls, changed),
    repeated: await round(calls, repeated),
  };
}
