import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { bundleOf } from '../support/bundles.js';
import { runScript } from './rollcall.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const groups = ['company', 'user', 'token', 'imports', 'invitations', 'projections', 'audit'];

/** The installed command, in a process of its own. */
const rollcall = (...args: readonly string[]) => runScript(bundleOf('rollcall'), args, {});

tap.test('help names each group, and a group its commands', async (t) => {
  const { code, out, err } = await rollcall('--help');
  t.match({ code, out, err }, { code: 0, out: /^Usage: rollcall/, err: '' });
  for (const group of groups) t.match(out, new RegExp(`^  ${group} `, 'm'));
  for (const args of [
    ['company', '--help'],
    ['help', 'company'],
  ])
    t.match(await rollcall(...args), {
      code: 0,
      out: /^Usage: rollcall company.*\n {2}configure /s,
      err: '',
    });
  t.match(await rollcall('company'), { code: 2, out: '', err: /^Usage: rollcall company/ });
});

tap.test('the version', async (t) => {
  const { version } = JSON.parse(readFileSync(`${repository}/package.json`, 'utf8')) as { version: string };
  t.strictSame(await rollcall('--version'), { code: 0, out: `${version}\n`, err: '' });
});
