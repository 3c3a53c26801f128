import { MAX_MESSAGE_BYTES } from './queue.js';

export function checkBody(body: Uint8Array): void {
  if (body.byteLength <= MAX_MESSAGE_BYTES) return;
  throw new RangeError(`A message of ${body.byteLength} bytes is over the limit of ${MAX_MESSAGE_BYTES}`);
}

export function checkMaxUnsettled(maxUnsettled: number): void {
  if (Number.isSafeInteger(maxUnsettled) && maxUnsettled > 0) return;
  throw new RangeError('maxUnsettled is an integer from 1');
}

export function wholeDelay(delayMs: number): number {
  if (Number.isFinite(delayMs) && delayMs >= 0) return Math.ceil(delayMs);
  throw new RangeError('The delay of a nak is a number of milliseconds from 0');
}
