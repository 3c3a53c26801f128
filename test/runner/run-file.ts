import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './test-files.js';

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface FileResult extends Totals {
  readonly file: string;
  readonly seconds: number;
  /** What failed with its details, and what the file wrote to its standard error; empty where nothing failed. */
  readonly problems: string;
  /** The first failure's name, in one line. */
  readonly firstProblem: string;
  /** The names of what was skipped, with their reasons. */
  readonly skips: readonly string[];
}

/** After the tests' own limit a file is given this long to say what hangs. */
const graceMs = 30_000;
/** What a file left running may hold its output open: when the file has ended, that is waited for so long. */
const leftOutputMs = 5_000;
/** The first lines of a failure's diagnostics stand below it. */
const shownLines = 40;

/** Of the first failure this much stands in the run's last lines too. */
const shownOfFirst = 1_500;

/** Where Node.js keeps compiled modules for the processes that follow. */
const compileCache = join(root, 'node_modules/.cache/node-compile-cache');

/** Runs one file in a process of its own, without loaders; `timeout` in seconds, `coverage` the folder for it, if any. */
export async function runFile(file: string, timeout: number, coverage?: string): Promise<FileResult> {
  const begun = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: root,
    env: {
      ...process.env,
      TAP_TIMEOUT: String(timeout),
      NODE_COMPILE_CACHE: compileCache,
      NODE_V8_COVERAGE: coverage,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const limit = setTimeout(() => child.kill('SIGKILL'), timeout * 1000 + graceMs);
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(limit);
  await Promise.race([closed, wait(leftOutputMs, undefined, { ref: false })]);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  const report = Buffer.concat(out).toString();
  const totals = totalsOf(report, code === 0);
  const failures = totals.failed > 0 ? failuresIn(report) : [];
  const ended = code === 0 ? '' : `${file} ended with ${signal ?? `code ${code}`}`;
  return {
    file,
    ...totals,
    seconds: (performance.now() - begun) / 1000,
    problems: totals.failed > 0 ? [ended, ...failures, Buffer.concat(err).toString()].join('\n') : '',
    firstProblem: failures[0]?.trim().slice(0, shownOfFirst) ?? ended,
    skips: [...report.matchAll(/^ *ok \d+ - (.*) # (?:SKIP|TODO)(.*)$/gim)].map(
      ([, name, why]) => `${name}:${why}`,
    ),
  };
}

/** As tap sums them up; a file that crashed, or never came to its end, has failed whatever stands there. */
function totalsOf(report: string, ended: boolean): Totals {
  const line = report.match(/^# \{ total: \d+.*\}$/gm)?.at(-1) ?? '';
  const count = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(line)?.[1] ?? 0);
  const failed = ended && line !== '' ? count('fail') : Math.max(1, count('fail'));
  return { passed: count('pass'), failed, skipped: count('skip') + count('todo') };
}

/**
 * The failed assertions with what stands below them, without the lines of code around them; a test that failed by one of its
 * assertions is not repeated.
 */
function failuresIn(report: string): string[] {
  const lines = report.replaceAll(/^( +)source: .*\n(?:\1 .*\n| *\n)*/gm, '').split('\n');
  return lines.flatMap((line, index) => {
    const indent = /^( *)not ok /.exec(line)?.[1]?.length;
    if (indent === undefined) return [];
    const below = lines.slice(index + 1, index + 1 + shownLines);
    const end = below.findIndex(
      (next) => /^ *(ok|not ok) /.test(next) || next === `${' '.repeat(indent)}  ...`,
    );
    return [line, ...below.slice(0, end < 0 ? shownLines : end)];
  });
}
