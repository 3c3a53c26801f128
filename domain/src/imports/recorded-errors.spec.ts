import tap from 'tap';
import { recordedErrors, recordedReason } from './recorded-errors.js';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `problem ${index}`);

tap.test('of errors the first 20 are kept, cut to 200 characters, and the number of the rest', (t) => {
  t.same(recordedErrors([]), []);
  t.same(recordedErrors(numbered(20)), numbered(20));
  t.same(recordedErrors(numbered(21)), [...numbered(20), '... and 1 more']);
  t.same(recordedErrors([...numbered(1_000), '... and 4000 more']), [...numbered(20), '... and 4980 more']);
  t.same(recordedErrors([...numbered(20), 'and 7 more']), [...numbered(20), 'and 7 more']);
  t.same(
    recordedErrors(recordedErrors(numbered(100))),
    recordedErrors(numbered(100)),
    'once is as good as twice',
  );
  t.same(recordedErrors(['😀'.repeat(200), '😀'.repeat(201)]), ['😀'.repeat(200), `${'😀'.repeat(200)}…`]);
  t.equal(recordedReason('x'.repeat(1_000_000)).length, 501);
  t.end();
});
