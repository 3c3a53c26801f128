import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { newId, systemClock } from '@rollcall/application';

import type { CliIo } from './cli-io.js';

/** The process's own streams. A reader that goes away (`| head`) ends the process quietly. */
export function processIo(): CliIo {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
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
  };
}
