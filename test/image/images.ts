import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../runner/test-files.js';
import { findMongodbServer } from '../servers/mongodb-server.js';
import { findNatsServer } from '../servers/nats-server.js';
import { command } from './command.js';
import type { Engine } from './engine.js';

/** On a busy machine. */
const buildsWithinMs = 900_000;

const folderOfBase = process.env['ROLLCALL_IMAGE_DIR'];

/** Why the base image cannot be taken from where `.ci/image.sh` puts it; undefined where it can. */
export const missingBaseImage = (): string | undefined =>
  folderOfBase !== undefined && existsSync(join(folderOfBase, 'base.tar'))
    ? undefined
    : 'no base image: run `bash .ci/image.sh FOLDER`, and this with ROLLCALL_IMAGE_DIR=FOLDER';

/** The image that the Dockerfile begins with. */
async function baseName(): Promise<string> {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8');
  return /^FROM (\S+) AS/m.exec(text)?.[1] ?? '';
}

const serversOn = (base: string): string => `FROM ${base}
RUN groupadd mongodb && useradd --gid mongodb mongodb && mkdir -p /data/db /var/lib/eventstore \\
  && chown mongodb:mongodb /data/db && chown node:node /var/lib/eventstore && ln -s /bin/busybox /usr/local/bin/wget
COPY . /servers/
`;

async function serversContext(folder: string, base: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'test/dist/servers/eventstoredb-stand-in/main.js')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: join(folder, 'eventstoredb.mjs'),
    logLevel: 'error',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  for (const [program = '', name] of [
    [findNatsServer(), 'nats-server'],
    [findMongodbServer(), 'rollcall-ferretdb'],
  ] as const) {
    await copyFile(program, join(folder, name));
    await chmod(join(folder, name), 0o755);
  }
  await writeFile(join(folder, 'Dockerfile'), serversOn(base));
}

/** Brings the base image in under the name that the Dockerfile asks for, and builds the servers' image on it. */
export async function prepareImages(engine: Engine, folder: string): Promise<void> {
  const base = await baseName();
  const trust = 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt';
  await engine.docker(
    'import',
    '--change',
    trust,
    '--change',
    'CMD ["node"]',
    join(folderOfBase ?? '', 'base.tar'),
    base,
  );
  await serversContext(folder, base);
  await engine.docker('build', '--tag', 'rollcall-servers', folder);
}

/** The repository as the commit before this one left it; undefined where there is none. */
export async function commitBefore(folder: string): Promise<string | undefined> {
  const commit = await command(['git', '-C', root, 'rev-parse', '--verify', '--quiet', 'HEAD~1']).catch(
    () => undefined,
  );
  if (commit === undefined) return undefined;
  await mkdir(folder, { recursive: true });
  await command(['sh', '-c', 'git -C "$1" archive "$2" | tar -x -C "$3"', 'sh', root, commit.trim(), folder]);
  return commit.trim();
}

/** Builds it by its own Dockerfile; with compose, which finds what it has built of this one's. */
export async function buildOlder(engine: Engine, folder: string, tag: string): Promise<void> {
  const file = `${folder}.compose.yml`;
  const api = { image: tag, build: { context: folder, network: 'host' } };
  await writeFile(file, JSON.stringify({ services: { api } }));
  await command(['docker-compose', '--file', file, 'build', 'api'], {
    env: engine.env,
    withinMs: buildsWithinMs,
  });
}
