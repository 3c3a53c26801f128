import tap from 'tap';
import { table } from './output.js';

tap.test('columns stand where a terminal shows them', async (t) => {
  // 美咲 takes four places, é one (of two signs), the emoji two (of three signs with a joiner).
  const rows = [
    ['A-1', 'x'],
    ['美咲', 'x'],
    ['Cafe\u0301', 'x'],
    ['\u{1f469}\u200d\u{1f4bb}', 'x'],
    ['', 'x'],
  ];
  t.strictSame(table(['id', 'last'], rows), [
    'id    last',
    'A-1   x',
    '美咲  x',
    'Cafe\u0301  x',
    '\u{1f469}\u200d\u{1f4bb}    x',
    '      x',
  ]);
  t.strictSame(table(['number', ''], [['1', '']]), ['number', '1'], 'nothing stands behind the last column');
});
