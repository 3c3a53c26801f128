import tap from 'tap';
import { rollcallWithin } from './rollcall.js';

tap.test('a name moves no cursor and turns no line', async (t) => {
  const rollcall = rollcallWithin(t.testdir());
  await rollcall('company configure --company 7');
  const name = ['--company', '7', '--name', 'A\u009b2J\u202eB'];
  const shown = 'A\\u{9b}2J\\u{202e}B';
  for (const words of [
    ['company', 'configure'],
    ['user', 'add'],
  ])
    t.match(await rollcall([...words, ...name]), { code: 0 }, words.join(' '));
  for (const words of [
    'company list',
    'company show --company 7',
    'user list --company 7',
    'audit log --company 7',
  ])
    t.match(await rollcall(words), { code: 0, out: shown }, words);
});
