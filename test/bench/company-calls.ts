import { employeesBody } from '../generators/employees.js';
import { carryLoad, messageOf } from './load-client.js';
import { processorTime } from './processor-time.js';
import { quantile } from './times.js';

/** The rounds, in their order: each company sends its list once in each. */
export const companyRounds = ['first', 'changed', 'repeated'] as const;
export type CompanyBatch = (typeof companyRounds)[number];

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

const bodies = (employees: number): Readonly<Record<CompanyBatch, string>> => {
  const plain = employeesBody(employees).toString();
  const changed = plain.replace('"EmploymentStatus":0', '"EmploymentStatus":1');
  return { first: plain, changed, repeated: changed };
};

/** Every company sends the body once, over so many connections at a time. */
async function round(calls: CompanyCalls, body: string): Promise<RoundResult> {
  const { url, pid, serverPid, tokens, connections } = calls;
  const pids = { service: [pid], server: serverPid === undefined ? [] : [serverPid] };
  const before = { service: processorTime(pids.service), server: processorTime(pids.server) };
  const messages = tokens.map((token, index) =>
    messageOf(url, { method: 'PUT', path: `/v1.0/Company/${index + 1}/Employee`, token, body }),
  );
  let at = 0;
  const { times, took } = await carryLoad({ url, connections, next: () => messages[at++] });
  const spent = (whose: keyof typeof pids): number =>
    (processorTime(pids[whose]) - before[whose]) / tokens.length;
  return {
    perSecond: tokens.length / (took / 1_000),
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    service: spent('service'),
    server: spent('server'),
  };
}

/** All rounds, one after the other. */
export async function measureCompanyCalls(calls: CompanyCalls): Promise<Record<CompanyBatch, RoundResult>> {
  const { first, changed, repeated } = bodies(calls.employees);
  return {
    first: await round(calls, first),
    changed: await round(calls, changed),
    repeated: await round(calls, repeated),
  };
}
