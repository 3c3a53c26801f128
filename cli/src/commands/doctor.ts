import { styleText } from 'node:util';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { orRed, type Check } from '../doctor/check.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { counted } from '../situation/words.js';
import { clockCheck } from '../doctor/clock-checks.js';
import { checkConfig } from '../doctor/config.js';
import { hostChecks } from '../doctor/host-checks.js';
import { keyChecks } from '../doctor/key-checks.js';
import { storeChecks, type OpenedStores } from '../doctor/stores.js';
import { workChecks } from '../doctor/work-checks.js';

/** All checks in order; those that need an unavailable store are left out. */
async function* examine(io: CliIo): AsyncIterable<Check> {
  const { check, config } = checkConfig(io.env);
  yield check;
  if (config === undefined) return;
  yield* orRed('host', hostChecks(config.adapters));
  const stores: OpenedStores = { opened: [], found: new Map(), say: (line) => io.err(`${line}\n`) };
  try {
    yield* storeChecks(io, config, stores);
    const { log, readModels } = stores;
    yield await clockCheck(stores, io.clock.now());
    yield* orRed('keys', keyChecks(config, log));
    if (log && readModels) yield* orRed('work', workChecks({ log, readModels, clock: io.clock }));
  } finally {
    await Promise.all(stores.opened.map((store) => store.close()));
  }
}

const NAME_WIDTH = 15;

function lineOf({ name, ok, text, advice }: Check, colours: boolean): string {
  const word = ok ? 'ok ' : 'RED';
  const shown = colours ? styleText(ok ? 'green' : 'red', word, { validateStream: false }) : word;
  return `${shown}  ${name.padEnd(NAME_WIDTH)}${advice === null ? text : `${text.replace(/\.$/, '')}. ${advice}`}\n`;
}

/** Prints each line at once; with `--json` all in one object. A refusal where one is red. */
async function doctor(io: CliIo, json: boolean): Promise<void> {
  const checks: Check[] = [];
  for await (const check of examine(io)) {
    checks.push(check);
    if (!json) await io.out(lineOf(check, io.colours ?? false));
  }
  const bad = checks.filter(({ ok }) => !ok).length;
  if (json) await answer(io, json, { ok: bad === 0, checks }, []);
  if (bad > 0)
    throw new Refusal(`${bad} of ${counted(checks.length, 'check')} ${bad === 1 ? 'is' : 'are'} red.`);
}

export function addCommands(command: Command, io: CliIo): void {
  command
    .json()
    .examples('rollcall doctor', 'rollcall doctor --json')
    .action(({ json = false }: { json?: boolean }) => doctor(io, json));
}
