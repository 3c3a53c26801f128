import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../runner/test-files.js';

/** The blocks of shell in a section of the README, as they stand. */
export async function readmeBlocks(section: string): Promise<string[]> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const [, after = ''] = text.split(`\n## ${section}\n`);
  const [own = ''] = after.split(/\n## /);
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** `docker compose`, where only `docker-compose` is installed. */
export const dockerCompose =
  'docker() { if [ "$1" = compose ]; then shift; docker-compose "$@"; else command docker "$@"; fi; }\n';
