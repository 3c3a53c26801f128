/** What a call came to: an answer that arrived whole, or nothing, when the server died on the way. */
export type Reply = { readonly status: number; readonly text: string } | undefined;

export interface Caller {
  (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Reply>;
}

/** Calls a server with a token. A lost connection, at whatever moment, is an undefined reply. */
export const caller =
  (url: string, token: string): Caller =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    try {
      const answer = await fetch(url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return undefined;
    }
  };

/** The JSON of a 200; throws where anything else came. */
export async function read<T>(call: Caller, path: string): Promise<T> {
  const reply = await call('GET', path);
  if (reply?.status !== 200) throw new Error(`GET ${path} answered ${reply?.status}: ${reply?.text}`);
  return JSON.parse(reply.text) as T;
}

export type Roll = (sides: number) => number;

/** Whole numbers from 0 below `sides`, the same for the same seed. */
export function dice(seed: number): Roll {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}
