import { BlockBuilder } from '@rollcall/application';

/** A row's record of this JSON text. */
export const recordOf = (json: object, date = ''): Buffer =>
  Buffer.concat([Buffer.of(date.length), Buffer.from(date), Buffer.from(JSON.stringify(json))]);

/** A block of these rows, none of which is empty; the numbers are of one block and rise. Undefined where there are none. */
export function encodeRows(
  rows: readonly { readonly number: number; readonly row: Uint8Array }[],
): Uint8Array | undefined {
  const builder = new BlockBuilder(0);
  for (const { number, row } of rows) builder.add(number, row);
  return builder.finish();
}
