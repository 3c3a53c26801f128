import { randomUUID } from 'node:crypto';
import type { ImportCounts } from '@rollcall/domain';
import type { ImportResult } from '@rollcall/contracts';
import type { Roll } from '../faults/caller.js';
import { CompanyModel, type EmployeeBody, type RoleSent, type Sent } from './model.js';
import type { Logged } from './company-log.js';

const people = 60;
const largePeople = 1_500;
const users = 8;
const departments = 4;

/** What an answered call was told. */
interface Accepted {
  readonly sent: Sent;
  /** Of a call that was carried out at once. */
  readonly counts: ImportCounts | undefined;
}

interface Row {
  readonly ApiOperationId: string;
  readonly HttpStatusCode: number;
  readonly HttpStatusReason: string;
  readonly Inserted: number;
  readonly Updated: number;
  readonly Removed: number;
  readonly Result: string | null;
}

interface ManagersAnswer {
  readonly Users: readonly { readonly Id: number; readonly Email: string; readonly Locked: boolean }[];
  readonly Roles: readonly {
    readonly UserId: number;
    readonly DepartmentName: string;
    readonly Enabled: boolean;
  }[];
}

const employee = (id: string, title: string): object => ({
  EmployeeID: id,
  Firstname: 'Anna',
  Lastname: `Person ${id}`,
  Email: `${id}@example.com`,
  EmploymentStatus: 0,
  JobTitle: title,
});

const managerRole = ({ department, email }: RoleSent): object => ({
  DimensionName: 'Department',
  DepartmentName: department,
  FirstName: 'Bo',
  LastName: email,
  Email: email,
});

const managerText = /^Successfully created (\d+), disabled (\d+) roles and locked (\d+) users\.$/;

/** "Successfully created 2, disabled 1 roles and locked 0 users." as counts. */
function managerCounts(text: string): ImportCounts {
  const [, created, disabled, locked] = managerText.exec(text) ?? [];
  if (created === undefined) throw new Error(`No manager result: ${text}`);
  return { inserted: Number(created), removed: Number(disabled), updated: Number(locked) };
}

/** One company's caller: sends imports of both kinds, at once and queued, and remembers what each was. */
export class CompanyLoad {
  readonly companyId: number;
  readonly #token: string;
  readonly #roll: Roll;
  readonly #accepted = new Map<string, Accepted>();
  #serial = 0;

  constructor(companyId: number, token: string, roll: Roll) {
    this.companyId = companyId;
    this.#token = token;
    this.#roll = roll;
  }

  get count(): number {
    return this.#accepted.size;
  }

  #employees(): EmployeeBody {
    const title = `Title ${++this.#serial}`;
    const size = this.#roll(25) === 0 ? largePeople : people;
    return Object.fromEntries(
      Array.from({ length: size }, (_, at) => at)
        .filter(() => this.#roll(3) > 0)
        .map((at) => [`E-${at}`, this.#roll(2) === 0 ? title : 'Unchanged']),
    );
  }

  #roles(): RoleSent[] {
    return Array.from({ length: this.#roll(10) }, () => ({
      department: `Department ${this.#roll(departments)}`,
      email: `manager.${this.#roll(users)}@example.com`,
    }));
  }

  /** One import, answered; now and then sent again under its key, which must change nothing. */
  async send(url: string, prefersAsync = this.#roll(2) === 0): Promise<void> {
    const sent = this.#next();
    const headers: Record<string, string> = prefersAsync ? { prefer: 'respond-async' } : {};
    if (this.#roll(4) > 0) return this.#remember(sent, await this.#put(url, sent, headers));
    headers['idempotency-key'] = randomUUID();
    const first = await this.#put(url, sent, headers);
    this.#remember(sent, first);
    const again = await this.#put(url, sent, headers);
    if (again.told !== first.told || !again.replayed)
      throw new Error(`A repeated key was answered otherwise: ${again.told}`);
  }

  #next(): Sent {
    return this.#roll(3) === 0
      ? { kind: 'managers', roles: this.#roles() }
      : { kind: 'employees', employees: this.#employees() };
  }

  async #put(url: string, sent: Sent, headers: Record<string, string>) {
    const answer = await fetch(url + this.#path(sent), {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(this.#body(sent)),
    });
    const text = await answer.text();
    if (answer.status !== 200 && answer.status !== 202) throw new Error(`PUT: ${answer.status} ${text}`);
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    return { status: answer.status, text, told: `${answer.status} ${text}`, replayed };
  }

  #path(sent: Sent): string {
    return sent.kind === 'employees'
      ? `/v1.0/Company/${this.companyId}/Employee`
      : `/v1.0/User/${this.companyId}/ManagerImport`;
  }

  #body(sent: Sent): unknown {
    if (sent.kind === 'managers') return { ManagerRoles: sent.roles.map(managerRole) };
    return Object.entries(sent.employees).map(([id, title]) => employee(id, title));
  }

  #remember(sent: Sent, { status, text }: { status: number; text: string }): void {
    const answer = JSON.parse(text) as ImportResult | string;
    if (typeof answer === 'string') {
      // The 200 of a manager import tells no operation id: its place among the rows is learned from the log.
      this.#unnamed.push({ sent, counts: managerCounts(answer) });
      return;
    }
    const counts = { inserted: answer.Inserted, updated: answer.Updated, removed: answer.Removed };
    this.#accepted.set(answer.ApiOperationId, { sent, counts: status === 200 ? counts : undefined });
  }

  /** Manager imports that ran at once, in the order in which they were answered: one caller sends one at a time. */
  readonly #unnamed: Accepted[] = [];

  /** How many imports were accepted. */
  get accepted(): number {
    return this.#accepted.size + this.#unnamed.length;
  }

  /** Runs the log's imports through the model, and says where log, rows and read models differ from it. */
  async problems(url: string, logged: readonly Logged[]): Promise<string[]> {
    const model = new CompanyModel();
    const rows = await this.#rows(url);
    const done = logged.filter(({ what }) => what === 'done');
    const found = done.length === this.accepted ? [] : [`${done.length} of ${this.accepted} imports ended`];
    const unnamed = [...this.#unnamed];
    for (const { operationId } of done) {
      const accepted = this.#accepted.get(operationId) ?? unnamed.shift();
      if (!accepted) found.push(`${operationId} is none that was accepted`);
      else
        found.push(
          ...countProblems(operationId, {
            accepted,
            row: rows.get(operationId),
            expected: model.apply(accepted.sent),
          }),
        );
    }
    found.push(...(await this.#readProblems(url, model)));
    return found.map((problem) => `company ${this.companyId}: ${problem}`);
  }

  async #get<T>(url: string, path: string): Promise<T> {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${this.#token}` } });
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async #rows(url: string): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>();
    const path = `/v1.0/Company/${this.companyId}/ApiCalls`;
    for (let before = ''; ;) {
      const page = await this.#get<Row[]>(url, before ? `${path}?Before=${before}` : path);
      for (const row of page) rows.set(row.ApiOperationId, row);
      const last = page.at(-1);
      if (!last) return rows;
      before = last.ApiOperationId;
    }
  }

  async #readProblems(url: string, model: CompanyModel): Promise<string[]> {
    const stored = await this.#get<{ EmployeeID: string; JobTitle: string }[]>(
      url,
      `/v1.0/Company/${this.companyId}/Employee`,
    );
    const { Users, Roles } = await this.#get<ManagersAnswer>(url, `/v1.0/Company/${this.companyId}/Managers`);
    const emails = new Map(Users.map(({ Id, Email }) => [Id, Email]));
    return [
      ...differs(
        'employees',
        stored.map(({ EmployeeID, JobTitle }) => `${EmployeeID}=${JobTitle}`),
        model.employees,
      ),
      ...differs(
        'users',
        Users.map(({ Email, Locked }) => `${Email}=${Locked ? 'locked' : 'active'}`),
        model.users,
      ),
      ...differs(
        'roles',
        Roles.filter(({ Enabled }) => Enabled).map(
          (role) => `${role.DepartmentName}|${emails.get(role.UserId)}`,
        ),
        model.roles,
      ),
    ];
  }
}

function differs(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const same = [...found].sort().join('\n') === expected.join('\n');
  return same ? [] : [`the ${what} are not those of the model (${found.length} and ${expected.length})`];
}

interface Compared {
  readonly accepted: Accepted;
  readonly row: Row | undefined;
  readonly expected: ImportCounts;
}

function countProblems(operationId: string, { accepted, row, expected }: Compared): string[] {
  if (row?.HttpStatusCode !== 200) return [`the row of ${operationId} is ${row?.HttpStatusReason}`];
  const shown =
    accepted.sent.kind === 'managers'
      ? managerCounts(row.Result ?? '')
      : { inserted: row.Inserted, updated: row.Updated, removed: row.Removed };
  const wrong = [shown, accepted.counts ?? shown].filter((counts) => !sameCounts(counts, expected));
  return wrong.length === 0
    ? []
    : [`${operationId} counted ${JSON.stringify(wrong[0])}, not ${JSON.stringify(expected)}`];
}

const sameCounts = (one: ImportCounts, other: ImportCounts): boolean =>
  one.inserted === other.inserted && one.updated === other.updated && one.removed === other.removed;
