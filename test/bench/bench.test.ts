import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import tap from 'tap';
import { sqlite } from './sqlite.js';

const main = fileURLToPath(new URL('main.js', import.meta.url));
// Each is a process of its own that waits more than it works.
tap.jobs = 4;

const bench = async (...options: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [main, ...options])).stdout;

tap.test('the benchmark runs, however small', { buffered: true }, async (t) => {
  const smallest = ['--sizes', '60', '--reps', '1', '--shape', 'together', '--seconds', '0.02'];
  const without = ['--connections', '1', '--no-surveys', '--others', 'none'];
  const last = [
    '--hostile',
    '1',
    '--invitations',
    'none',
    '--ratios',
    'none',
    '--events',
    '100',
    '--looks',
    'none',
  ];
  const told = await bench(...smallest, ...without, ...last, '--employees', 'none');
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

tap.test('many companies are through their nights, however few', { buffered: true }, async (t) => {
  const told = await bench('--stack', 'peer', '--tenants', '3', '--employees', '50,1000');
  t.match(told, '3 x 1000 employees, npm start');
  t.match(told, /\nprocessor ms a call +\d/);
  if (sqlite !== undefined) t.match(told, /3 x 50 employees, first night: p99 +target 1.5 of CRUD/);
  t.notMatch(told, 'Reading alone');
});

tap.test('looks at the page are measured', { buffered: true }, async (t) => {
  t.match(
    await bench('--stack', 'page', '--looks', '20'),
    /page, one import: p99 +target 150 ms, measured \d/,
  );
});

tap.test('calls are removed after their term', { buffered: true }, async (t) => {
  const told = await bench('--stack', 'calls', '--calls', '800');
  for (const row of [/\n500 removed after 600d /, 'audit verify passes', 'PUT of 3 beside the removal: p99'])
    t.match(told, row);
});

tap.test('its help names each option', { buffered: true }, async (t) => {
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
    '--looks',
    '--employees',
    '--tenants',
    '--calls',
    '--stack',
  ])
    t.match(told, option);
});
