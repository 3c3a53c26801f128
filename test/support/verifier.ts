import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skipWithout } from '../servers/skip-without.js';
import { Program } from './program.js';

export const verifierFolder = fileURLToPath(new URL('../../../clients/verifier', import.meta.url));

/** With what its signatures need: that of `.ci/clients.sh`, or the machine's. */
const pythons = [join(process.env['ROLLCALL_CLIENTS_DIR'] ?? '', 'python/bin/python'), 'python3'];

const python = pythons.find((one) => spawnSync(one, ['-c', 'import cryptography']).status === 0);

export const withoutPython = (): string | false =>
  skipWithout(python === undefined && 'no Python with the package cryptography: bash .ci/clients.sh FOLDER');

/** Runs Python in the verifier's folder. */
export async function runPython(
  args: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const { code, out, err } = await new Program(['-B', ...args], {
    command: python ?? 'python3',
    cwd: verifierFolder,
    env: process.env,
    quiet: true,
  }).ended;
  return { code, out, err };
}
