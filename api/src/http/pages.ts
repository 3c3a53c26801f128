import type { StoredDocument } from '@rollcall/adapters';
import { jsonArray } from './json-array.js';

export interface Page {
  /** A JSON array. */
  readonly json: Buffer;
  /** The text key of the page's last document, where there are more behind it. */
  readonly last: string | undefined;
}

/** The first `top` documents. Give it an iteration that is limited to one more. */
export async function firstPage(documents: AsyncIterable<StoredDocument>, top: number): Promise<Page> {
  let last: string | undefined;
  let count = 0;
  const taken = async function* (): AsyncGenerator<StoredDocument[]> {
    let lastTaken: string | undefined;
    for await (const document of documents) {
      if (count++ === top) {
        last = lastTaken;
        return;
      }
      lastTaken = textOf(document);
      yield [document];
    }
  };
  const pieces: Buffer[] = [];
  for await (const piece of jsonArray(taken())) pieces.push(piece);
  return { json: Buffer.concat(pieces), last };
}

function textOf({ key }: StoredDocument): string | undefined {
  const text = key.at(-1);
  return typeof text === 'string' ? text : undefined;
}

/** The `Link` header of a page that has a next one (RFC 8288). */
export function nextPage(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `<${path}?${query.join('&')}>; rel="next"`;
}
