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

/** A closed pipe (`| head`) loses the rest of the output, not the command or its exit code. A full disk ends it with one line. */
export function processIo(start: CliIo['start']): CliIo {
  const closed = new Set<NodeJS.WriteStream>();
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      closed.add(stream);
      if (error.code === 'EPIPE') return;
      process.stderr.write(`What was asked for could not be written: ${error.message}\n`);
      process.exit(1);
    });
  return {
    env: process.env,
    clock: systemClock,
    newId,
    out: async (text) => {
      if (closed.has(process.stdout) || process.stdout.write(text)) return;
      await once(process.stdout, 'drain').catch(() => undefined);
    },
    isOutClosed: () => closed.has(process.stdout),
    err: (text) => {
      if (!closed.has(process.stderr)) process.stderr.write(text);
    },
    screen: process.stderr.isTTY ? process.stderr : undefined,
    colours: process.stdout.isTTY && process.stdout.hasColors(),
    sleep: (ms) => setTimeout(ms),
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
    start,
  };
}
