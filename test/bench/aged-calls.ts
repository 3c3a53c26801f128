import { join } from 'node:path';
import { keyPaths, openAdapters, openKeys } from '@rollcall/adapters';
import {
  CompanyStateCache,
  configureCompany,
  type ImportEngine,
  readModelsVersion,
  systemClock,
} from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import { engineOn, request } from '../application/imports.support.js';
import { callContext } from '../application/decide-and-append.support.js';
import { employeesBody } from '../generators/employees.js';
import { importingCompany } from '../servers/prepared-data.js';
import { operationIdAt } from '../support/operation-id.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

export const DAY = 24 * 60 * 60_000;
const body = employeesBody(3).toString();
const wrong = body.replace(/"EmployeeID":"[^"]*"/, '"EmployeeID":""');

export interface AgedCalls {
  readonly companies: readonly number[];
  /** Of one list of three employees each: every fourth is refused, all others but a company's first change nothing. */
  readonly calls: number;
  /** They are spread evenly over this time before now. */
  readonly days: number;
}

/** Writes calls of the past into an empty data folder through the decisions of the service, without its HTTP and without sync. */
export async function writeAgedCalls(dataDir: string, { companies, calls, days }: AgedCalls): Promise<void> {
  const adapters = await openAdapters({
    ...embeddedAdapters(dataDir),
    projections: readModelsVersion,
    sync: false,
  });
  const begun = systemClock.now() - days * DAY;
  let at = begun;
  const clock = { now: () => at };
  const { digestKey } = await openKeys({ folder: keyPaths(dataDir).folder });
  const digester = new Digester(digestKey);
  const states = new CompanyStateCache({ ...adapters, digester, cacheBytes: 64 * 1024 * 1024 });
  const engine = engineOn({ ...adapters, clock, folder: join(dataDir, 'tmp') }, digester, { states });
  try {
    for (const companyId of companies)
      await configureCompany({ ...adapters, clock }, contextAt(at, companyId), importingCompany(companyId));
    const rounds = Math.ceil(calls / companies.length);
    for (let round = 0; round < rounds; round += 1) {
      at = begun + Math.floor((round / rounds) * days * DAY);
      await Promise.all(
        companies.map((companyId) => call(engine, contextAt(at, companyId), round % 4 === 3)),
      );
    }
  } finally {
    await adapters.close();
  }
}

const contextAt = (at: number, companyId: number) =>
  callContext({ companyId, operationId: operationIdAt(at), receivedAt: new Date(at).toISOString() });

async function call(
  engine: ImportEngine,
  context: ReturnType<typeof contextAt>,
  isWrong: boolean,
): Promise<void> {
  const { companyId } = context;
  const method = `PUT /v1.0/Company/${companyId}/Employee`;
  const options = { companyId: companyId ?? 0, context, method };
  const { kind } = await engine.accept(request('employees', isWrong ? wrong : body, options));
  if (kind !== (isWrong ? 'refused' : 'done')) throw new Error(`A call was ${kind}`);
}
