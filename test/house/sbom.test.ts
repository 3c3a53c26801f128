import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap from 'tap';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[];
}

tap.test('the bill of materials names what runs, and nothing of the tests', (t) => {
  const { stdout } = spawnSync(process.execPath, ['cli/bin/sbom.js'], { cwd: repository, encoding: 'utf8' });
  const { bomFormat, specVersion, components } = JSON.parse(stdout) as Bom;
  t.strictSame([bomFormat, specVersion], ['CycloneDX', '1.5']);
  const versions = new Map(components.map(({ name, version }) => [name, version]));
  for (const name of [
    'fastify',
    'lmdb',
    'mongodb',
    'nats',
    '@eventstore/db-client',
    '@grpc/grpc-js',
    'commander',
  ]) {
    const { version } = JSON.parse(
      readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8'),
    ) as { version: string };
    t.equal(versions.get(name), version, name);
  }
  for (const name of ['tap', 'typescript', 'esbuild', 'smtp-server', 'openapi-fetch'])
    t.notOk(versions.has(name), name);
  t.match(components.find(({ name }) => name === '@grpc/grpc-js')?.purl, /^pkg:npm\/%40grpc\/grpc-js@\d/);
  t.end();
});

tap.test('the image says which version it is', (t) => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    version: string;
  };
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  t.match(dockerfile, `org.opencontainers.image.version=${version} `);
  t.match(dockerfile, 'org.opencontainers.image.revision=$ROLLCALL_COMMIT');
  t.end();
});
