import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import tap from 'tap';

const main = fileURLToPath(new URL('main.js', import.meta.url));
const bench = async (...options: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [main, ...options])).stdout;

tap.test('the benchmark runs, however small', async (t) => {
  const smallest = ['--sizes', '60', '--reps', '1', '--shape', 'together', '--seconds', '0.02'];
  const without = ['--connections', '1', '--no-surveys', '--others', 'none'];
  const last = ['--hostile', '1', '--invitations', 'none', '--ratios', 'none', '--events', '100'];
  const told = await bench(...smallest, ...without, ...last);
  for (const row of [
    'Reading alone',
    'first load ',
    '1 % changed, .NET-escaped',
    'replay',
    'Read models on disk, in bodies: ',
    'GET health/live',
    'ids of two large owners',
    'audit verify: ',
  ])
    t.match(told, row);
  t.match(told, /PUT of 3 to one company, 1 connection: .*target 4 ms .*, measured \d/);
});

tap.test('many companies are through their nights, however few', async (t) => {
  const told = await bench('--tenants', '3');
  t.match(told, '3 companies of 50 employees, npm start');
  t.match(told, /\ncalls +3 +3\n/);
  t.match(told, /\nevents appended +3 +3\n/);
  t.notMatch(told, 'Reading alone');
});

tap.test('its help names each option', async (t) => {
  const told = await bench('--help');
  for (const option of [
    '--sizes',
    '--large',
    '--reps',
    '--shape',
    '--others',
    '--hostile',
    '--ratios',
    '--events',
    '--tenants',
    '--stack',
  ])
    t.match(told, option);
});
