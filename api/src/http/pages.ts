import type { StoredDocument } from '@rollcall/application';
import { jsonArray } from './json-array.js';

export interface Page {
  /** A JSON array. */
  readonly json: Buffer;
  /** The text key of the page's last document, where there are more behind it. */
  readonly last: string | undefined;
}

/** The first `top` documents. Give it an iteration that is limited to one more. */
export async function firstPage(
  batches: AsyncIterable<readonly StoredDocument[]>,
  top: number,
): Promise<Page> {
  let last: string | undefined;
  let count = 0;
  const taken = async function* (): AsyncGenerator<readonly StoredDocument[]> {
    let lastTaken: string | undefined;
    for await (const batch of batches) {
      const some = batch.slice(0, top - count);
      count += some.length;
      lastTaken = textOf(some.at(-1)) ?? lastTaken;
      if (some.length > 0) yield some;
      if (some.length < batch.length) {
        last = lastTaken;
        return;
      }
    }
  };
  const pieces: Buffer[] = [];
  for await (const piece of jsonArray(taken())) pieces.push(piece);
  return { json: Buffer.concat(pieces), last };
}

function textOf(document: StoredDocument | undefined): string | undefined {
  const text = document?.key.at(-1);
  return typeof text === 'string' ? text : undefined;
}

/** The `Link` header of a page that has a next one (RFC 8288). */
export function nextPage(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `<${path}?${query.join('&')}>; rel="next"`;
}
