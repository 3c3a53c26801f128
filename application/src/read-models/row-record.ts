import { Buffer } from 'node:buffer';

/** A record: InvitationDate as sent when new (one byte of length, 0 for none; its characters), then the row's JSON text. */
export const recordText = (record: Uint8Array): Uint8Array => record.subarray(behindDate(record));

export const recordDate = (record: Uint8Array): string | undefined =>
  record[0] === 0 ? undefined : Buffer.from(record.subarray(1, behindDate(record))).toString('utf8');

/** The date remains that of the time when the employee was new. */
export function withKeptDate(record: Uint8Array, before: Uint8Array | undefined): Uint8Array {
  if (before === undefined || before[0] === 0) return record;
  return Buffer.concat([before.subarray(0, behindDate(before)), recordText(record)]);
}

const behindDate = (record: Uint8Array): number => 1 + (record[0] ?? 0);
