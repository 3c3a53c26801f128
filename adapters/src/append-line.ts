import { appendFile, readFile, truncate } from 'node:fs/promises';

/** A line of JSON; not twice where another process was first. Removes what a full disk has left of a line before it. */
export async function appendLine(file: string, line: string): Promise<void> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known.endsWith(line)) return;
  const last = known.slice(known.lastIndexOf('\n') + 1);
  const isCut = last.startsWith('{') && !last.endsWith('}');
  if (isCut) await truncate(file, Buffer.byteLength(known) - Buffer.byteLength(last));
  await appendFile(file, isCut || last === '' ? line : `\n${line}`, { flush: true });
}
