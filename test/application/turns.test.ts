import { joined, readCsvList } from '@rollcall/application';
import t from 'tap';
import { turnsOf } from '../support/turns.js';

const head = 'EmployeeID,First name,LASTNAME,E-Mail,Employment_Status';

t.test('a long CSV lets other work go, and no character is cut between two turns', async (t) => {
  const names = Array.from({ length: 20_000 }, (_, at) => 'ø𝄞'.repeat(1 + (at % 7)));
  const lines = names.map((name, at) => `E-${at},${name},L,${at}@example.com,0`);
  const file = Buffer.from([head, ...lines].join('\n'));
  const { turns, result } = await turnsOf(() => readCsvList('employees', file));
  if (!result.ok) throw new Error('the file is right');
  const list = JSON.parse(Buffer.from(result.body).toString()) as { Firstname: string }[];
  t.same(
    list.map(({ Firstname }) => Firstname),
    names,
  );
  t.ok(turns >= 16, `${turns} turns for a mebibyte`);
});

t.test('the columns of a file that is not UTF-8 are unknown', async (t) => {
  const file = 'F\u00f8rste,Email\nA,B';
  t.same((await readCsvList('employees', Buffer.from(file, 'latin1'))).columns, []);
  t.equal((await readCsvList('employees', Buffer.from(file))).columns.length, 2);
});

async function* texts(count: number): AsyncGenerator<string> {
  for (let at = 0; at < count; at += 1) yield await Promise.resolve('x'.repeat(16 * 1024));
}

t.test('a long answer lets other work go between its parts', async (t) => {
  const { turns, result } = await turnsOf(async () => {
    let length = 0;
    for await (const part of joined(texts(200))) length += part.length;
    return length;
  });
  t.equal(result, 200 * 16 * 1024);
  t.ok(turns >= 50, `${turns} turns for 50 parts`);
});
