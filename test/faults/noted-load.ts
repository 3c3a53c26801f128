import { setTimeout as wait } from 'node:timers/promises';
import { generatedEmployees } from '../generators/employees.js';
import { until } from '../support/until.js';

const people = generatedEmployees(400);
const perCall = 40;

interface Answered {
  readonly kind: 'import' | 'queued import' | 'survey';
  readonly id: string;
}

interface Row {
  readonly HttpStatusCode: number;
  readonly CompletedOn: string | null;
}

type Answer = { readonly status: number; readonly text: string } | undefined;

/** What a server has answered to one company's calls, noted in the order of the answers; a server that is gone ends it. */
export class NotedLoad {
  readonly answered: Answered[] = [];
  readonly #companyId: number;
  readonly #token: string;
  #serial = 0;

  constructor(companyId: number, token: string) {
    this.#companyId = companyId;
    this.#token = token;
  }

  get #company(): string {
    return `/v1.0/Company/${this.#companyId}`;
  }

  /** Imports at once, queued ones and surveys, side by side, until the server is gone or `goesOn` says no. */
  async run(url: string, goesOn: () => boolean): Promise<void> {
    const repeat = async (once: () => Promise<boolean>): Promise<void> => {
      while (goesOn() && (await once())) await wait(5);
    };
    await Promise.all([
      repeat(() => this.put(url, {})),
      repeat(() => this.put(url, { prefer: 'respond-async' })),
      repeat(() => this.#survey(url)),
    ]);
  }

  /** The next list; false where the server is gone. */
  async put(url: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
    const begin = (this.#serial += 1) * 7;
    const body = Array.from({ length: perCall }, (_, index) => people[(begin + index) % people.length]);
    const answer = await this.#ask(url, 'PUT', `${this.#company}/Employee`, { body, headers });
    if (answer === undefined) return false;
    if (![200, 202].includes(answer.status)) throw new Error(`PUT answered ${answer.status}: ${answer.text}`);
    const { ApiOperationId: id } = JSON.parse(answer.text) as { ApiOperationId: string };
    this.answered.push({ kind: answer.status === 202 ? 'queued import' : 'import', id });
    return true;
  }

  async #survey(url: string): Promise<boolean> {
    const body = {
      Name: `Survey ${(this.#serial += 1)}`,
      CompanyId: this.#companyId,
      State: 1,
      Start: '2026-05-01T02:00:00Z',
      End: '2026-06-01T02:00:00Z',
      Questions: [1, 99].map((Type) => ({ Type, Texts: { 1045: 'text' } })),
    };
    const answer = await this.#ask(url, 'POST', '/v1.0/survey', { body });
    if (answer === undefined) return false;
    if (answer.status !== 200) throw new Error(`POST answered ${answer.status}: ${answer.text}`);
    this.answered.push({ kind: 'survey', id: answer.text });
    return true;
  }

  /** Which of these a server does not have: an import without its one row that ends with 200, a survey that cannot be read. */
  async missing(url: string, answered: readonly Answered[]): Promise<Answered[]> {
    const missing: Answered[] = [];
    for (const one of answered) if (!(await this.#has(url, one))) missing.push(one);
    return missing;
  }

  async #has(url: string, { kind, id }: Answered): Promise<boolean> {
    if (kind === 'survey') return (await this.#ask(url, 'GET', `/v1.0/Survey/${id}`))?.status === 200;
    const ended = async (): Promise<readonly Row[] | undefined> => {
      const answer = await this.#ask(url, 'GET', `${this.#company}/ApiCalls?ApiOperationId=${id}`);
      const rows = JSON.parse(answer?.text ?? '[]') as Row[];
      return rows.every(({ CompletedOn }) => CompletedOn !== null) ? rows : undefined;
    };
    const rows = await until(`${kind} ${id} has ended`, ended);
    return rows.length === 1 && rows[0]?.HttpStatusCode === 200;
  }

  async #ask(
    url: string,
    method: string,
    path: string,
    { body, headers }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    try {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return undefined;
    }
  }
}
