import { setTimeout as wait } from 'node:timers/promises';
import { generatedEmployees } from '../generators/employees.js';

/** No call may hang longer. */
const callMs = 40_000;
/** A call that is refused for want of a server is tried again for so long. */
const longestOutageMs = 150_000;
const pauseMs = 50;

interface Wait {
  readonly what: string;
  readonly since: number;
  told: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Callers that go on through outages, and everything that was wrong with what they were answered. */
export class SteadyLoad {
  readonly problems: string[] = [];
  /** Calls that were answered 503 with Retry-After. */
  refused = 0;
  /** What its callers wait for now. */
  readonly #waiting = new Set<Wait>();
  /** Calls that were cut off, where that may happen. */
  cut = 0;
  readonly #url: () => string;
  readonly #mayBeCut: boolean;
  #stopping = false;
  #running: Promise<void>[] = [];

  /** Where servers come and go, a call may be `cut` off, and is repeated; each goes to the next `url`. */
  constructor(url: string | (() => string), { mayBeCut = false } = {}) {
    this.#url = typeof url === 'string' ? () => url : url;
    this.#mayBeCut = mayBeCut;
  }

  /** Begins to repeat what a caller does. */
  start(...callers: readonly (() => Promise<void>)[]): void {
    this.#running.push(...callers.map((once) => this.#repeat(once)));
  }

  /** Ends after the calls under way; each is carried out by then. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #repeat(once: () => Promise<void>): Promise<void> {
    while (!this.#stopping) {
      await once();
      await wait(pauseMs);
    }
  }

  /** What each caller waits for, since when, and what it was told last. */
  get waiting(): string[] {
    const now = performance.now();
    return [...this.#waiting].map(
      ({ what, since, told }) => `${what} for ${Math.round(now - since)} ms: ${told}`,
    );
  }

  /** Says while `work` runs that somebody waits for it; `tell` what it was told. */
  async waitFor<T>(what: string, work: (tell: (told: string) => void) => Promise<T>): Promise<T> {
    const wait: Wait = { what, since: performance.now(), told: 'nothing yet' };
    this.#waiting.add(wait);
    try {
      return await work((told) => (wait.told = told));
    } finally {
      this.#waiting.delete(wait);
    }
  }

  /** One answer; undefined where none came, which no outage of a server excuses. */
  async ask(token: string, { method, path, body, headers }: Call): Promise<Answer | undefined> {
    try {
      const answer = await fetch(this.#url() + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(callMs),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status } = answer;
      if (status === 503) this.refused += 1;
      if ([409, 503].includes(status) && !answer.headers.has('retry-after'))
        this.problems.push(`${method} ${path} answered ${status} without Retry-After`);
      return { status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      if (this.#mayBeCut) this.cut += 1;
      else this.problems.push(`${method} ${path} was not answered: ${String(error)}`);
      return undefined;
    }
  }

  /** Asks until it is neither 503 nor, of a key, "still running"; undefined where it came to nothing good. */
  carriedOut(token: string, call: Call, good: readonly number[]): Promise<Answer | undefined> {
    return this.waitFor(`${call.method} ${call.path}`, (tell) =>
      this.#carriedOut(token, { call, good, tell }),
    );
  }

  async #carriedOut(
    token: string,
    { call, good, tell }: { call: Call; good: readonly number[]; tell: (told: string) => void },
  ): Promise<Answer | undefined> {
    const deadline = performance.now() + longestOutageMs;
    while (performance.now() < deadline) {
      const answer = await this.ask(token, call);
      if (answer === undefined ? !this.#mayBeCut : good.includes(answer.status)) return answer;
      tell(answer === undefined ? 'no answer' : `${answer.status} ${answer.text}`);
      if (answer !== undefined && !isLater(answer, call)) {
        this.problems.push(`${call.method} ${call.path} answered ${answer.status}: ${answer.text}`);
        return undefined;
      }
      await wait(pauseMs);
    }
    this.problems.push(`${call.method} ${call.path} was refused for ${longestOutageMs} ms`);
    return undefined;
  }
}

/** Whether the call may be carried out when it is repeated: also one whose key is still running. */
const isLater = ({ status }: Answer, { headers }: Call): boolean =>
  status === 503 || (status === 409 && headers?.['idempotency-key'] !== undefined);

const ring = generatedEmployees(200);
const size = 20;
const step = 5;

/** The nth list of a company: it moves on by 5 of 20. */
const listOf = (n: number): { EmployeeID: string }[] =>
  Array.from({ length: size }, (_, index) => ring[(n * step + index) % ring.length]).flatMap(
    (one) => one ?? [],
  );

interface Row {
  readonly HttpStatusCode: number;
  readonly CompletedOn: string | null;
  readonly Inserted: number;
  readonly Updated: number;
  readonly Removed: number;
}

/** A company whose list moves on and on, each import under a key of its own; at once, or queued. */
export class MovingCompany {
  /** How many imports were answered. */
  count = 0;
  readonly #load: SteadyLoad;
  readonly #companyId: number;
  readonly #token: string;
  readonly #queued: boolean;
  /** Where the rows of queued imports that have not ended are read. */
  readonly #open: { readonly n: number; readonly location: string }[] = [];

  constructor(
    load: SteadyLoad,
    who: { readonly companyId: number; readonly token: string; readonly queued: boolean },
  ) {
    this.#load = load;
    this.#companyId = who.companyId;
    this.#token = who.token;
    this.#queued = who.queued;
  }

  get #path(): string {
    return `/v1.0/Company/${this.#companyId}/Employee`;
  }

  /** The next import; of queued ones no more than a few wait. */
  readonly once = async (): Promise<void> => {
    const n = this.count;
    const headers = {
      'idempotency-key': `${this.#companyId}-${n}`,
      ...(this.#queued && { prefer: 'respond-async' }),
    };
    const call: Call = { method: 'PUT', path: this.#path, body: listOf(n), headers };
    const answer = await this.#load.carriedOut(this.#token, call, [this.#queued ? 202 : 200]);
    if (answer === undefined) return;
    this.count += 1;
    if (this.#queued) this.#open.push({ n, location: answer.headers.get('location') ?? '' });
    else this.#check(n, JSON.parse(answer.text) as Row, answer.text);
    while (this.#open.length > 5) await this.#end();
  };

  #check(n: number, { Inserted, Updated, Removed }: Row, text: string): void {
    const right = n === 0 ? [size, 0, 0] : [step, 0, step];
    if (String([Inserted, Updated, Removed]) !== String(right))
      this.#load.problems.push(`import ${n} of company ${this.#companyId}: ${text}`);
  }

  /** Waits until the oldest that is queued has ended. */
  async #end(): Promise<void> {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    await this.#load.waitFor(`the queued import ${oldest.n} of company ${this.#companyId}`, (tell) =>
      this.#ended(oldest, tell),
    );
    this.#open.shift();
  }

  async #ended(
    { n, location }: { n: number; location: string },
    tell: (told: string) => void,
  ): Promise<void> {
    const deadline = performance.now() + longestOutageMs;
    while (performance.now() < deadline) {
      const answer = await this.#load.carriedOut(this.#token, { method: 'GET', path: location }, [200]);
      if (answer === undefined) break;
      const [row] = JSON.parse(answer.text) as Row[];
      if (row && row.CompletedOn !== null) {
        if (row.HttpStatusCode !== 200) this.#load.problems.push(`import ${n} ended: ${answer.text}`);
        this.#check(n, row, answer.text);
        return;
      }
      tell(answer.text);
      await wait(pauseMs);
    }
    this.#load.problems.push(`the queued import ${n} of company ${this.#companyId} did not end`);
  }

  /** Reads the list: nobody stands in it twice, and nobody who was never sent. */
  readonly look = async (): Promise<void> => {
    const answer = await this.#load.carriedOut(this.#token, { method: 'GET', path: this.#path }, [200]);
    if (answer === undefined) return;
    const ids = (JSON.parse(answer.text) as { EmployeeID: string }[]).map(({ EmployeeID }) => EmployeeID);
    const known = new Set(ring.map(({ EmployeeID }) => EmployeeID));
    if (new Set(ids).size !== ids.length || !ids.every((id) => known.has(id)))
      this.#load.problems.push(`the list of company ${this.#companyId} was wrong: ${String(ids)}`);
  };

  /** What is there after everything is projected, against what was answered: the list, and a row for each import. */
  async settled(): Promise<{ readonly there: unknown; readonly wanted: unknown }> {
    while (this.#open.length > 0) await this.#end();
    const get = async <T>(path: string): Promise<T> => {
      const answer = await this.#load.carriedOut(this.#token, { method: 'GET', path }, [200]);
      return JSON.parse(answer?.text ?? '[]') as T;
    };
    const ids = (await get<{ EmployeeID: string }[]>(this.#path)).map(({ EmployeeID }) => EmployeeID);
    let rows = 0;
    for (let before = ''; ;) {
      const path = `/v1.0/Company/${this.#companyId}/ApiCalls?Top=100${before}`;
      const page = await get<{ ApiOperationId: string; HttpStatusCode: number }[]>(path);
      rows += page.filter(({ HttpStatusCode }) => HttpStatusCode === 200).length;
      if (page.length < 100) break;
      before = `&Before=${page.at(-1)?.ApiOperationId}`;
    }
    const last = listOf(this.count - 1).map(({ EmployeeID }) => EmployeeID);
    return { there: { ids: ids.sort(), rows }, wanted: { ids: last.sort(), rows: this.count } };
  }
}
