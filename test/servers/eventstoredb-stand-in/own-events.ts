import { randomUUID } from 'node:crypto';

/** Ticks of 100 ns. */
export const now = (): string => String(BigInt(Date.now()) * 10_000n);

/** One that the server writes itself. */
export const event = (type: string, data: Uint8Array) => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data,
  metadata: new Uint8Array(0),
  created: now(),
});
