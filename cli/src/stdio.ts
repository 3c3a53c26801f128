import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { newId, systemClock } from '@rollcall/application';

import type { CliIo } from './cli-io.js';

/** The question goes to stderr, so that stdout holds the result alone. An end of the input is no answer. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = once(terminal, 'close').then(() => '');
  try {
    return await Promise.race([terminal.question(question), ended]);
  } finally {
    terminal.close();
  }
}

/** A closed pipe (`| head`) ends the process quietly, a full disk with one line. */
export function processIo(start: CliIo['start']): CliIo {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`What was asked for could not be written: ${error.message}\n`);
    process.exit(1);
  });
  return {
    env: process.env,
    clock: systemClock,
    newId,
    out: async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    },
    err: (text) => {
      process.stderr.write(text);
    },
    screen: process.stderr.isTTY ? process.stderr : undefined,
    colours: process.stdout.isTTY && process.stdout.hasColors(),
    sleep: (ms) => setTimeout(ms),
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
    start,
  };
}
