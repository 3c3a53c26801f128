import { generatedEmployee, type GeneratedEmployee } from '../generators/employees.js';
import { read, type Caller, type Roll } from './caller.js';

interface Put {
  readonly set: string;
  readonly started: number;
  /** Infinity while no answer came. */
  readonly ended: number;
  readonly operationId: string | undefined;
}

interface ApiCallRow {
  readonly ApiOperationId: string;
  readonly HttpStatusCode: number;
}

interface StoredEmployee {
  readonly Id: number;
  readonly EmployeeID: string;
  readonly JobTitle: string;
}

const people = 60;
const mostCalls = 30;

const textOf = (employees: readonly Pick<StoredEmployee, 'EmployeeID' | 'JobTitle'>[]): string =>
  employees
    .map(({ EmployeeID, JobTitle }) => `${EmployeeID}=${JobTitle}`)
    .sort()
    .join('\n');

/** One company's employees: what was sent, what was answered, and what may therefore stand in the system. */
export class EmployeeLoad {
  readonly #companyId: number;
  readonly #roll: Roll;
  #puts: Put[] = [{ set: '', started: 0, ended: 0, operationId: undefined }];
  #serial = 0;
  #newestRow = '';

  constructor(companyId: number, roll: Roll) {
    this.#companyId = companyId;
    this.#roll = roll;
  }

  #randomSet(): (GeneratedEmployee & { JobTitle: string })[] {
    const title = `Title ${++this.#serial}`;
    return Array.from({ length: people }, (_, index) => index)
      .filter(() => this.#roll(3) > 0)
      .map((index) => ({ ...generatedEmployee(index), JobTitle: this.#roll(2) > 0 ? title : 'Unchanged' }));
  }

  /** Replaces the set again and again until the server is gone. */
  async run(call: Caller): Promise<void> {
    for (let count = 0; count < mostCalls; count++) {
      const employees = this.#randomSet();
      const started = performance.now();
      const reply = await call('PUT', `/v1.0/Company/${this.#companyId}/Employee`, employees);
      if (reply && reply.status !== 200) throw new Error(`PUT answered ${reply.status}: ${reply.text}`);
      const ended = reply ? performance.now() : Infinity;
      const operationId = reply && (JSON.parse(reply.text) as { ApiOperationId: string }).ApiOperationId;
      this.#puts.push({ set: textOf(employees), started, ended, operationId });
      if (!reply) return;
    }
  }

  /** What is wrong with what the system says, after everything in its log is projected. */
  async problems(call: Caller): Promise<string[]> {
    const stored = await read<StoredEmployee[]>(call, `/v1.0/Company/${this.#companyId}/Employee`);
    const rows = await read<ApiCallRow[]>(call, `/v1.0/Company/${this.#companyId}/ApiCalls?Top=100`);
    const found = [...this.#setProblems(stored), ...this.#rowProblems(rows)];
    this.#newestRow = rows[0]?.ApiOperationId ?? '';
    this.#puts = [{ set: textOf(stored), started: 0, ended: 0, operationId: undefined }];
    return found.map((problem) => `Company ${this.#companyId}: ${problem}`);
  }

  /** The set is one of those that were sent, wholly, and none that an answered later one had replaced. */
  #setProblems(stored: readonly StoredEmployee[]): string[] {
    const answered = this.#puts.filter(({ ended }) => ended < Infinity);
    const possible = this.#puts.filter((put) => !answered.some(({ started }) => started > put.ended));
    const numbers = new Set(stored.map(({ Id }) => Id));
    return [
      ...(possible.some(({ set }) => set === textOf(stored)) ? [] : ['the set is none that may stand there']),
      ...(numbers.size === stored.length ? [] : ['a number stands twice']),
    ];
  }

  /** Each answered call has its row, once; a call without an answer has at most one. */
  #rowProblems(rows: readonly ApiCallRow[]): string[] {
    const ids = rows.map(({ ApiOperationId }) => ApiOperationId);
    const fresh = this.#newestRow === '' ? ids : ids.slice(0, ids.indexOf(this.#newestRow));
    const sent = this.#puts.slice(1);
    const answered = sent.flatMap(({ operationId }) => operationId ?? []);
    const missing = answered.filter((id) => fresh.filter((other) => other === id).length !== 1);
    const failed = rows.filter(({ HttpStatusCode }) => HttpStatusCode !== 200);
    return [
      ...missing.map((id) => `the answered call ${id} has not one row`),
      ...failed.map(({ ApiOperationId }) => `the row ${ApiOperationId} is no 200`),
      ...(fresh.length <= sent.length ? [] : [`${fresh.length} rows for ${sent.length} calls`]),
    ];
  }
}
