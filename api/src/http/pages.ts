import { jsonArray, type JsonTexts } from './json-array.js';

/** Documents of pages. */
export interface PageTexts extends JsonTexts {
  /** Names one of them: the next page begins behind it. */
  readonly idAt: (at: number) => string;
}

export interface Page {
  /** A JSON array. */
  readonly json: Buffer;
  /** The id of the page's last document, where there are more behind it. */
  readonly last: string | undefined;
}

/** The first `top` documents. Give it an iteration that is limited to one more. */
export async function firstPage(batches: AsyncIterable<PageTexts>, top: number): Promise<Page> {
  let last: string | undefined;
  let count = 0;
  const taken = async function* (): AsyncGenerator<JsonTexts> {
    let lastTaken: string | undefined;
    for await (const batch of batches) {
      const length = Math.min(batch.length, top - count);
      count += length;
      if (length > 0) {
        lastTaken = batch.idAt(length - 1);
        yield { ...batch, length };
      }
      if (length < batch.length) {
        last = lastTaken;
        return;
      }
    }
  };
  const pieces: Buffer[] = [];
  for await (const piece of jsonArray(taken())) pieces.push(piece);
  return { json: Buffer.concat(pieces), last };
}

/** The `Link` header of a page that has a next one (RFC 8288). */
export function nextPage(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `<${path}?${query.join('&')}>; rel="next"`;
}
