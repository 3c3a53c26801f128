import type { Call, SteadyLoad } from './steady-load.js';

/** A company whose surveys become more and more, each under a key of its own. */
export class GrowingSurveys {
  readonly #load: SteadyLoad;
  readonly #companyId: number;
  readonly #token: string;
  readonly #ids: number[] = [];

  constructor(load: SteadyLoad, who: { readonly companyId: number; readonly token: string }) {
    this.#load = load;
    this.#companyId = who.companyId;
    this.#token = who.token;
  }

  get count(): number {
    return this.#ids.length;
  }

  readonly once = async (): Promise<void> => {
    const name = `Survey ${this.#ids.length}`;
    const body = {
      Name: name,
      CompanyId: this.#companyId,
      Start: '2026-05-01T02:00:00Z',
      End: '2026-06-01T02:00:00Z',
      State: 1,
      Questions: [1, 99].map((Type) => ({ Type, Texts: { 1045: name } })),
    };
    const headers = { 'idempotency-key': name };
    const call: Call = { method: 'POST', path: '/v1.0/survey', body, headers };
    const answer = await this.#load.carriedOut(this.#token, call, [200]);
    if (answer !== undefined) this.#ids.push(Number(answer.text));
  };

  /** What is there after everything is projected, against what was answered. */
  async settled(): Promise<{ readonly there: unknown; readonly wanted: unknown }> {
    const path = `/v1.0/Survey?companyId=${this.#companyId}`;
    const answer = await this.#load.carriedOut(this.#token, { method: 'GET', path }, [200]);
    const listed = JSON.parse(answer?.text ?? '[]') as { id: number; name: string }[];
    return {
      there: listed.map(({ id, name }) => `${id} ${name}`).sort(),
      wanted: this.#ids.map((id, n) => `${id} Survey ${n}`).sort(),
    };
  }
}
