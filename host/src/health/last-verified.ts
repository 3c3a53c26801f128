import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { hasCode, replaceFile } from '@rollcall/adapters';

const fileOf = (dataDir: string): string => join(dataDir, 'last-verified.json');
const shape = Compile(Type.Object({ at: Type.String() }));

/** Records when everything was found whole (ms), for `rollcall_last_verified_timestamp_seconds`. */
export const recordVerified = (dataDir: string, at: number): Promise<void> =>
  replaceFile(fileOf(dataDir), `${JSON.stringify({ at: new Date(at).toISOString() })}\n`, 0o644);

/** When everything was last found whole (ms); undefined where unknown. */
export async function readLastVerified(dataDir: string): Promise<number | undefined> {
  const value = await read(fileOf(dataDir));
  const at = shape.Check(value) ? Date.parse(value.at) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

async function read(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
