import { hostname } from 'node:os';
import { startOf } from '@rollcall/adapters';
import { newId, systemClock } from '@rollcall/application';

import { run, type CliIo } from '@rollcall/cli';
import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';
import { setTimeout } from 'node:timers/promises';

const main = bundleOf('rollcall');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Environment of a child: only what finds programs, and what the test sets. */
export const childEnv = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  ...env,
});

/** Runs a script of ours in a process of its own, to its end. */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { code, out, err } = await new Program([script, ...args], { env: childEnv(env), quiet: true }).ended;
  return { code, out, err };
}

/** The same in this process: what is said of words alone needs no process of its own. */
export const rollcallWithin =
  (dataDir: string, env: Readonly<Record<string, string>> = {}, more: Partial<CliIo> = {}) =>
  async (words: string | readonly string[]): Promise<Ran> => {
    const said = { out: '', err: '' };
    const code = await run(split(words), {
      env: { DATA_DIR: dataDir, ...env },
      clock: systemClock,
      newId,
      out: async (text) => void (said.out += text),
      err: (text) => (said.err += text),
      screen: undefined,
      sleep: (ms) => setTimeout(ms),
      start: () => undefined,
      ...more,
    });
    return { code, ...said };
  };

const split = (words: string | readonly string[]): readonly string[] =>
  typeof words === 'string' ? words.split(' ').filter(Boolean) : words;

/** `rollcall` on a data folder, in a process of its own. The words are split at blanks; texts with blanks come as an array. */
export const rollcallOn =
  (dataDir: string, env: Readonly<Record<string, string>> = {}) =>
  (words: string | readonly string[]): Promise<Ran> =>
    runScript(main, split(words), { DATA_DIR: dataDir, ...env });

/** The mark in a data folder that the process uses. */
export const markOf = (pid: number): string => `.in-use-${startOf(pid)}-${pid}-${newId()}@${hostname()}`;

/** The one object that `--json` prints. */
export function objectOf({ out }: Ran): Record<string, unknown> {
  const value: unknown = JSON.parse(out);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no JSON object');
  return { ...value };
}
