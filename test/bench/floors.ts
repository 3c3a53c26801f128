import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds: the least, and the one in the middle. */
export interface Times {
  readonly minimum: number;
  readonly median: number;
}

export function timesOf(milliseconds: readonly number[]): Times {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (sorted[0] === undefined || middle === undefined) throw new Error('Nothing was measured');
  return { minimum: sorted[0], median: middle };
}

/** P: `JSON.parse` of the body's text, in this process, warm. */
export function parseFloor(body: Buffer, repetitions: number): Times {
  const text = body.toString();
  const once = (): number => {
    const begun = performance.now();
    JSON.parse(text);
    return performance.now() - begun;
  };
  once();
  return timesOf(Array.from({ length: repetitions }, once));
}

const appendBytes = 454;

/** F: one append of 454 bytes to a file of that folder, with fdatasync. */
export function appendFloor(folder: string, repetitions: number): Times {
  const path = join(folder, 'append-floor');
  const file = openSync(path, 'a', 0o600);
  const bytes = Buffer.alloc(appendBytes, 'x');
  const once = (): number => {
    const begun = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - begun;
  };
  try {
    once();
    return timesOf(Array.from({ length: repetitions }, once));
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
