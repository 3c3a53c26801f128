import { jsonArray, type JsonTexts } from './json-array.js';

export interface PageTexts extends JsonTexts {
  readonly idAt: (at: number) => string;
}

export interface Page {
  readonly json: Buffer;
  /** The id of the page's last document, if more follow. */
  readonly last: string | undefined;
}

/** The first `top` documents of an iteration that is limited to one more. */
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
  const chunks: Buffer[] = [];
  for await (const chunk of jsonArray(taken())) chunks.push(chunk);
  return { json: Buffer.concat(chunks), last };
}

/** The `Link` header of the next page (RFC 8288). */
export function nextPage(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `<${path}?${query.join('&')}>; rel="next"`;
}
