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
