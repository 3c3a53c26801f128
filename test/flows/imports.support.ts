import type { Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { companyId, type Answer, type CallOptions, type TestApp } from '../support/test-app.js';

/** One of the two imports, with bodies of any size. */
export interface Endpoint {
  readonly kind: 'employees' | 'managers';
  readonly path: string;
  /** Where the set is read. */
  readonly setPath: string;
  /** A valid body of so many elements; `variant` makes another one. */
  readonly body: (elements: number, variant?: string) => object;
  /** What is wrong about it, is notified of each element. */
  readonly invalid: object;
}

const role = (index: number, variant: string): object => ({
  DimensionName: 'Department',
  DepartmentName: `Department ${index}`,
  FirstName: 'Ann',
  LastName: `Example ${variant}`,
  Email: `ann.${variant}${index}@example.com`,
});

export const employees: Endpoint = {
  kind: 'employees',
  path: `/v1.0/Company/${companyId}/Employee`,
  setPath: `/v1.0/Company/${companyId}/Employee`,
  body: (elements, variant = '') =>
    generatedEmployees(elements).map((employee) => ({ ...employee, JobTitle: `Engineer ${variant}` })),
  invalid: [{ EmployeeID: '1' }],
};

export const managers: Endpoint = {
  kind: 'managers',
  path: `/v1.0/User/${companyId}/ManagerImport`,
  setPath: `/v1.0/Company/${companyId}/Managers`,
  body: (elements, variant = '') => ({
    ManagerRoles: Array.from({ length: elements }, (_, index) => role(index, variant)),
  }),
  invalid: { ManagerRoles: [{ FirstName: 'Ann' }] },
};

export const endpoints = [employees, managers];

/** Settings under which both endpoints' bodies are valid. */
export const importSettings = { departmentDimensions: ['Department'], divisionDimensions: ['Division'] };

export const put = (
  app: TestApp,
  { path }: Endpoint,
  body: unknown,
  options: CallOptions & { readonly query?: string } = {},
): Promise<Answer> => app.call('PUT', path + (options.query ?? ''), { ...options, body });

export const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
export const respondAsync = { headers: { prefer: 'respond-async' } };
export const replayed = ({ headers }: Answer): string | null => headers.get('idempotent-replayed');

/** The ApiOperationId of a 202, and of a 200 or 400 of the employees. */
export const operationOf = ({ json }: Answer): string => (json as { ApiOperationId: string }).ApiOperationId;

export interface CallRow {
  readonly ApiOperationId: string;
  readonly HttpStatusCode: number;
  readonly HttpStatusReason: string;
  readonly Method: string;
  readonly Inserted: number;
  readonly ValidationErrors: readonly string[];
  readonly [name: string]: unknown;
}

/** The rows of ApiCalls, newest first. */
export async function rowsOf(app: TestApp, query = ''): Promise<CallRow[]> {
  await app.projected();
  return (await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls${query}`)).json as CallRow[];
}

/** The only row of a call. */
export async function rowOf(t: Test, app: TestApp, operationId: string): Promise<CallRow> {
  const [row, ...more] = await rowsOf(app, `?ApiOperationId=${operationId}`);
  t.same(more, []);
  if (!row) throw new Error(`the call ${operationId} has no row`);
  return row;
}

/** Runs the company's queue to its end, as the worker does, and gives how each import ended. */
export async function runQueue(app: TestApp): Promise<{ operationId: string; outcome: string }[]> {
  const runs = [];
  for (;;) {
    const result = await app.runner.runOldest(companyId);
    if (result.kind === 'idle') return runs;
    if (result.kind === 'attempt-failed') throw new Error(result.problem);
    if (result.kind !== 'ended') throw new Error(result.kind);
    runs.push({ operationId: result.operationId, outcome: result.outcome });
  }
}

/** The streams that hold bodies of queued imports. */
export async function payloads(app: TestApp): Promise<string[]> {
  const names = [];
  for await (const { stream } of app.adapters.log.listStreams('payload-')) names.push(stream);
  return names;
}

/** The text that a queued import waits with. */
export async function payloadOf(app: TestApp, operationId: string): Promise<string> {
  const pieces = [];
  for await (const { data } of app.adapters.log.readStream(`payload-${operationId}`)) pieces.push(data);
  return Buffer.concat(pieces).toString();
}
