import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { causeText } from './output.js';
import { WrongUse } from './refusal.js';

/** `WrongUse` where it cannot be read. */
export async function bytesOf(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new WrongUse(`${what} cannot be read: ${causeText(error)}`);
  }
}

/** `WrongUse` where it cannot be read as UTF-8. */
export async function textOf(path: string, what: string): Promise<string> {
  const bytes = await bytesOf(path, what);
  if (!isUtf8(bytes)) throw new WrongUse(`${what} cannot be read as UTF-8 text.`);
  return new TextDecoder().decode(bytes);
}
