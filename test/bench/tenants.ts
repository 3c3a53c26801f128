import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { employeesBody } from '../generators/employees.js';
import { carryLoad, messageOf } from './load-client.js';
import { watchMemory } from './memory.js';
import { mainThreadTime, processorTime, processorTimeAtRest } from './processor-time.js';
import { startService, type Service, type Shape } from './service.js';
import { prepareTenants } from './tenant-setup.js';
import { TenantStores } from './tenant-stores.js';
import { quantile } from './times.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

export const tenantConnections = 32;
/** So many different lists there are at most, and so many employees in all of them; companies take them in turn. */
const differentLists = 100;
const differentEmployees = 500_000;
/** One company of so many has one employee changed in the second night. */
const oneChangedOf = 100;
/** A night ends after this time, with whoever has called by then. */
const longestNightMs = 600_000;
const catchUpMs = 600_000;

/** What one night came to: each company has sent its list once. */
export interface NightCost {
  readonly name: string;
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds of one call. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of the processors for each call: where the event loop answers, and in all, with what follows the answers. */
  readonly answering: number;
  readonly whole: number;
  /** Events that the read models did not have when the last answer came, and how long that took them (ms). */
  readonly behind: number;
  readonly caughtUpMs: number;
  /** Of the process that answers, in bytes. */
  readonly peakMemory: number;
  readonly peakAnonymous: number;
}

export interface TenantsOptions {
  readonly companies: number;
  /** Of each company. */
  readonly employees: number;
  readonly shape: Shape;
}

interface Tenants {
  readonly service: Service;
  readonly shape: Shape;
  readonly tokens: readonly string[];
  readonly stores: TenantStores;
}

export function listsOf(employees: number, companies: number): readonly string[] {
  const length = Math.min(differentLists, companies, Math.ceil(differentEmployees / employees));
  return Array.from({ length }, (_, n) => employeesBody(employees, { seed: n + 1 }).toString());
}

/** With another status of one employee. */
const changed = (list: string): string => list.replace('"EmploymentStatus":0', '"EmploymentStatus":1');

/** In `npm start` what answers is one thread of the one process, and does other work of small weight too. */
const answeringTime = ({ service: { pid }, shape }: Tenants): number =>
  shape === 'together' ? mainThreadTime(pid) : processorTime([pid]);

export interface Sent {
  readonly times: readonly number[];
  readonly took: number;
}

export type ListOf = (company: number) => string;

/** Every company sends its list once: milliseconds of each call and of all. */
export function sendAll(url: string, tokens: readonly string[], listOf: ListOf): Promise<Sent> {
  const until = performance.now() + longestNightMs;
  let company = 0;
  const next = (): Buffer | undefined => {
    const token = tokens[company];
    if (token === undefined || performance.now() > until) return undefined;
    company += 1;
    const path = `/v1.0/Company/${company}/Employee`;
    return messageOf(url, { method: 'PUT', path, token, body: listOf(company) });
  };
  return carryLoad({ url, connections: tenantConnections, next });
}

async function night(tenants: Tenants, name: string, listOf: ListOf): Promise<NightCost> {
  const { service, stores, tokens } = tenants;
  const before = { answering: answeringTime(tenants), whole: processorTime(service.pids) };
  const peakOf = watchMemory(service.pid);
  const { times, took } = await sendAll(service.url, tokens, listOf);
  const answered = performance.now();
  const behind = await stores.behind();
  await stores.caughtUp(catchUpMs);
  const caughtUpMs = performance.now() - answered;
  const whole = (await processorTimeAtRest(service.pids)) - before.whole;
  const peak = peakOf();
  return {
    name,
    calls: times.length,
    seconds: took / 1_000,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answering: (answeringTime(tenants) - before.answering) / times.length,
    whole: whole / times.length,
    behind,
    caughtUpMs,
    peakMemory: peak.rss,
    peakAnonymous: peak.anonymous,
  };
}

/** What each company sends in its nights. */
export function nightsOf(lists: readonly string[]): readonly (readonly [name: string, listOf: ListOf])[] {
  const listOf = (company: number): string => lists[company % lists.length] ?? '';
  const secondOf = (company: number): string =>
    company % oneChangedOf === 0 ? changed(listOf(company)) : listOf(company);
  return [
    ['first night', listOf],
    ['second night', secondOf],
  ];
}

/** An installation of so many companies, on folders of its own, through its first two nights. */
export async function measureTenants(parent: string, options: TenantsOptions): Promise<readonly NightCost[]> {
  const { companies, employees, shape } = options;
  const lists = listsOf(employees, companies);
  const nights: NightCost[] = [];
  const dataDir = await mkdtemp(join(parent, 'tenants-'));
  const tokens = await prepareTenants(embeddedAdapters(dataDir), companies);
  const service = await startService(shape, dataDir);
  const stores = await TenantStores.open(dataDir);
  try {
    await stores.caughtUp(catchUpMs);
    await processorTimeAtRest(service.pids);
    for (const [name, listOf] of nightsOf(lists))
      nights.push(await night({ service, shape, tokens, stores }, name, listOf));
    return nights;
  } finally {
    await stores.close();
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}
