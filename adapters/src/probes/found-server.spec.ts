import tap from 'tap';
import { aheadOf, isOlder } from './found-server.js';

tap.test('versions', async (t) => {
  const older: [string, string][] = [
    ['2.10.9', '2.10.23'],
    ['2.9.99', '2.10.23'],
    ['2.10.22-RC.1', '2.10.23'],
    ['23.6.0.0', '23.10'],
    ['22.10.5', '23.10'],
  ];
  for (const [version, least] of older) t.equal(isOlder(version, least), true, `${version} before ${least}`);
  for (const [least, version] of older) t.equal(isOlder(version, version), false, `${version}, ${least}`);
  t.equal(isOlder('2.10.23', '2.10.23'), false);
  t.equal(isOlder('2.11.0', '2.10.23'), false);
  t.equal(isOlder('23.10.8', '23.10'), false);
  t.equal(isOlder('24.2.0', '23.10'), false);
});

tap.test('a clock is ahead or behind by what the time of the question does not explain', async (t) => {
  const read = { before: 1_000, after: 1_400 };
  t.equal(aheadOf(1_000, read), 0);
  t.equal(aheadOf(1_400, read), 0);
  t.equal(aheadOf(1_500, read), 100);
  t.equal(aheadOf(700, read), -300);
});
