import tap from 'tap';
import { actionInput } from './forms.js';

tap.test('a reason has at most 500 characters, however many units of UTF-16', async (t) => {
  const problemsOf = (reason: string) => actionInput({ reason }).problems;
  t.same(problemsOf('😀'.repeat(500)), []);
  const text = 'Write at most 500 characters';
  t.same(problemsOf('😀'.repeat(501)), [{ field: 'reason', text }]);
});
