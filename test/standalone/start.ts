import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openAdapters } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';

import { childEnv } from '../cli/rollcall.js';
import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const main = bundleOf('standalone');

export interface Start {
  readonly child: Program;
  /** The address, once it listens. Rejects where the process ends before. */
  readonly address: Promise<string>;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/** Starts what `npm start` starts, on a free port. */
export function start(dataDir: string, env: Readonly<Record<string, string>> = {}): Start {
  const child = new Program([main], {
    env: childEnv({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', ...env }),
    quiet: true,
  });
  const address = child.says(/listens on \S+ .*\n/).then((line) => /listens on (\S+)/.exec(line)?.[1] ?? '');
  address.catch(() => undefined);
  return { child, address, ended: child.ended.then(({ code, signal }) => code ?? signal) };
}

/** Starts it, lets the work be done, and stops it gracefully. Its output is the answer. */
export async function whileRunning(
  dataDir: string,
  work: (address: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const running = start(dataDir);
  try {
    await work(await running.address);
  } finally {
    running.child.signal('SIGTERM');
    await running.ended;
  }
  return running.child.out;
}

/** Kills it without warning as soon as the file is there; the moment after that where the file is gone too soon. */
export async function killWhenThere(dataDir: string, file: string): Promise<void> {
  const running = start(dataDir);
  const listening = running.address.then(
    () => 'over',
    () => 'over',
  );
  while (!existsSync(join(dataDir, file))) {
    if ((await Promise.race([listening, setTimeout(1, 'waiting')])) === 'over') break;
  }
  running.child.signal('SIGKILL');
  await running.ended;
}

export const tokenIn = (dataDir: string): string => readFileSync(join(dataDir, 'demo-token'), 'utf8').trim();

export function claimsOf(token: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

async function namesIn(log: EventLog): Promise<string[]> {
  const names: string[] = [];
  for await (const item of log.subscribeToAll({ after: undefined, signal: new AbortController().signal })) {
    if (item.kind === 'caught-up') break;
    names.push(`${item.event.type} ${item.event.stream}@${item.event.revision}`);
  }
  return names;
}

/** Everything in the log, in order. */
export async function eventsIn(dataDir: string): Promise<string[]> {
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  try {
    return await namesIn(adapters.log);
  } finally {
    await adapters.close();
  }
}
