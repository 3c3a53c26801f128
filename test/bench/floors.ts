import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { timesOf, type Times } from './times.js';

/** Milliseconds of the processors that this process spends with some work. */
export function processorTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** P: the processor time of `JSON.parse` of the body's text, in this process, warm (ms). */
export function parseFloor(body: Buffer, repetitions: number): Times {
  const text = body.toString();
  const once = (): number => processorTimeOf(() => void JSON.parse(text));
  once();
  return timesOf(Array.from({ length: repetitions }, once));
}

const appendBytes = 454;

/** F: one append of 454 bytes to a file of that folder, with fdatasync (ms of the clock). */
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
