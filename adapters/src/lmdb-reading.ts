import { execFile, type ExecException } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROBE = fileURLToPath(new URL('./lmdb-probe.js', import.meta.url));
const PROBE_MS = 60_000;

/** `isCertain` is false if the reader itself failed. */
export interface StoreProblem {
  readonly text: string;
  readonly isCertain: boolean;
}

/** Reads the whole store in a child process, since LMDB may crash on damage. A second crash blames the file. */
export async function problemByReading(folder: string, probe = PROBE): Promise<StoreProblem | undefined> {
  const first = await readOnce(folder, probe);
  if (first === undefined || !('crash' in first)) return first;
  const second = await readOnce(folder, probe);
  return second === undefined || !('crash' in second)
    ? second
    : { text: `is damaged: each process that read it crashed (${second.crash})`, isCertain: true };
}

/** Another process opens the store until every process sees the newest commit (`NewestCommit`). Throws if that fails. */
export async function showNewest(folder: string): Promise<void> {
  await run(process.execPath, [PROBE, folder, 'newest'], { timeout: PROBE_MS, killSignal: 'SIGKILL' });
}

interface Crash {
  readonly crash: string;
}

async function readOnce(folder: string, probe: string): Promise<StoreProblem | Crash | undefined> {
  try {
    await run(process.execPath, [probe, folder], { timeout: PROBE_MS, killSignal: 'SIGKILL' });
    return undefined;
  } catch (failure) {
    return problemOf(failure);
  }
}

const DAMAGE = /MDB_(?:CORRUPTED|PAGE_NOTFOUND|INVALID)/;

function problemOf(failure: unknown): StoreProblem | Crash {
  const { signal, killed, stderr, message } = childFailure(failure);
  // A memory map raises it behind the file's end.
  if (signal === 'SIGBUS') return { text: 'is cut off', isCertain: true };
  if (killed === true) return uncertain(`the process that read it did not end within ${PROBE_MS / 1000} s`);
  if (signal === 'SIGKILL') return uncertain('the process that read it was killed');
  if (signal) return { crash: signal };
  const reason = reasonIn(stderr) ?? message;
  if (DAMAGE.test(reason)) return { text: `is damaged (${reason})`, isCertain: true };
  return uncertain(`the process that read it failed (${reason})`);
}

const uncertain = (reason: string): StoreProblem => ({
  text: `could not be checked: ${reason}`,
  isCertain: false,
});

const childFailure = (failure: unknown): ExecException =>
  failure instanceof Error ? failure : new Error(String(failure));

const reasonIn = (stderr = ''): string | undefined =>
  stderr.split('\n').find((line) => /^\w*Error\b/.test(line));
