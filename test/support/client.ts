import type { ApiCall } from '@rollcall/contracts';
import { until } from './until.js';

const withinMs = 120_000;

/** A caller of one api, with one token. */
export class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  async get<T>(path: string): Promise<T> {
    const answer = await fetch(this.#url + path, { headers: this.#headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Sends an import that is to be queued; the Location of its row. */
  async queue(path: string, body: unknown): Promise<string> {
    const answer = await fetch(this.#url + path, {
      method: 'PUT',
      headers: { ...this.#headers, prefer: 'respond-async' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (answer.status !== 202 || location === null)
      throw new Error(`PUT ${path} answered ${answer.status}: ${text}`);
    return location;
  }

  /** Its row, once the call has ended. */
  untilEnded(location: string): Promise<ApiCall> {
    const ended = async (): Promise<ApiCall | undefined> => {
      const [row] = await this.get<ApiCall[]>(location);
      return row && row.CompletedOn !== null ? row : undefined;
    };
    return until(`the call ${location} ends`, ended, { withinMs });
  }
}
