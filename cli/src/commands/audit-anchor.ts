import { appendLine, createSigningKey, readPublicKeys } from '@rollcall/adapters';
import { anchorOf, makeAnchor, type AnchorKey, type NamedAnchor } from '@rollcall/application';
import { parsedJson } from '@rollcall/employee-lists/text';

import type { CliIo } from '../cli-io.js';
import type { CliConfig } from '../config.js';
import { bytesOf } from '../given-file.js';
import { Refusal, WrongUse } from '../refusal.js';
import { withStores } from '../session.js';

/** Prints an anchor of the log as it is now, and adds it to the file. Writes nothing to the log. */
export const auditAnchor = (io: CliIo, { file }: { readonly file?: string }): Promise<void> =>
  withStores(io, async ({ log, readModels, config, clock }) => {
    const key = (): Promise<AnchorKey> => createSigningKey(config.anchorKeys);
    // Only the embedded log has an index of its heads.
    const isEmbedded = config.adapters.eventLog.kind === 'embedded';
    const anchor = await makeAnchor({ log, clock, key, readModels: isEmbedded ? undefined : readModels });
    if (anchor === undefined) throw new Refusal('The log has no events yet.');
    const line = `${JSON.stringify(anchor)}\n`;
    if (file !== undefined) await appendLine(file, line);
    await io.out(line);
  });

export interface KeysOption {
  /** A folder of public keys, `<kid>.pem`. */
  readonly keys?: string;
}

/** `WrongUse` where a named folder has none. */
export async function publicAnchorKeys(
  { anchorKeys }: CliConfig,
  { keys }: KeysOption,
): Promise<ReadonlyMap<string, string>> {
  const found = await readPublicKeys(keys ?? anchorKeys.publicFolder);
  if (keys !== undefined && found.size === 0) throw new WrongUse(`--keys: ${keys} has no public key.`);
  return found;
}

/** The anchors in these files, one a line. `WrongUse` where a line, or all of a file, is none. */
export async function anchorsIn(files: readonly string[]): Promise<readonly NamedAnchor[]> {
  const found: NamedAnchor[] = [];
  for (const file of files) {
    const lines = (await bytesOf(file, `--anchor: ${file}`))
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '');
    if (lines.length === 0) throw new WrongUse(`--anchor: ${file} is empty.`);
    for (const [index, line] of lines.entries()) {
      const source = lines.length === 1 ? file : `${file}:${index + 1}`;
      const anchor = anchorOf(parsedJson(line));
      if (anchor === undefined) throw new WrongUse(`--anchor: ${source} is no anchor.`);
      found.push({ anchor, source });
    }
  }
  return found;
}
