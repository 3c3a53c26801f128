import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { root } from './source-files.js';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

tap.test('developers, CI and the image use one version of Node.js, and CI tests each other one', (t) => {
  const [, newest, ...others] = /^Node (\d+), (\d+) or (\d+) \(from/m.exec(read('README.md')) ?? [];
  t.equal(read('.nvmrc').trim(), newest);
  const images = [...read('Dockerfile').matchAll(/^FROM node:(\d+)\.\d+\.\d+-/gm)].map(([, major]) => major);
  t.strictSame(new Set(images), new Set([newest]));
  t.match(read('.ci/run'), 'bash .ci/node.sh "$version"', 'CI installs what .nvmrc names');
  const run = [...read('.ci/nodes.sh').matchAll(/^(?:\w+=\S+ )?run (\d+) /gm)].map(([, major]) => major);
  t.strictSame(run, others);
  t.match(read('package.json'), /"node": ">=20\.19\.0"/);
  t.match(read('package.json'), /"@types\/node": "\^20\./, 'no type that the oldest version lacks');
  t.end();
});

tap.test('the V8 for which the projector sets a flag knows it', (t) => {
  const [, version = '', flag = ''] =
    /v8\.startsWith\('([\d.]+)'\)\)\s+setFlagsFromString\('--([a-z-]+)'\)/.exec(
      read('projector/src/main.ts'),
    ) ?? [];
  t.not(flag, '');
  if (process.versions.v8.startsWith(version))
    t.match(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }), `--${flag} (`);
  t.end();
});
