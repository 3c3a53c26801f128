import { exactly } from '@rollcall/employee-lists/testing';
import fc from 'fast-check';
import tap from 'tap';
import { barChart } from './chart.js';
import { actionForm, actionInput, field } from './forms.js';
import { html, type Html } from './html.js';
import { agoText, momentText } from './moments.js';
import { numberText } from './numbers.js';
import { pager, table, withParameter } from './table.js';

const meaning: Readonly<Record<string, string>> = {
  34: '"',
  38: '&',
  39: "'",
  60: '<',
  61: '=',
  62: '>',
  33: '!',
};
const unescaped = (text: string): string =>
  text.replace(/&#(\d\d);/g, (_, code: string) => meaning[code] ?? '?');

tap.test('text stays text, wherever it stands', async (t) => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (one, more) => {
      const shown = String(html`<p title="${one}">!${one}${more.map((each) => html`<i>${each}</i>`)}</p>`);
      t.notMatch(shown.replace(/<\/?[pi](?: title="[^"]*")?>/g, ''), /[<>"']/);
      t.equal(
        unescaped(shown),
        `<p title="${one}">!${one}${more.map((each) => `<i>${each}</i>`).join('')}</p>`,
      );
    }),
  );
});

tap.test('nothing is nothing, and zero is zero', async (t) => {
  t.equal(String(html`${undefined}${null}${false}${0}${[]}`), '0');
});

tap.test('numbers are grouped, moments have zone and offset', async (t) => {
  t.strictSame([0, 999, 1_000, 1_234_567].map(numberText), ['0', '999', '1\u202f000', '1\u202f234\u202f567']);
  const at = Date.parse('2026-11-25T23:05:00Z');
  t.equal(momentText(at, 'Europe/Copenhagen'), '26 Nov 2026, 00:05 +01:00');
  t.equal(momentText(at, 'UTC'), '25 Nov 2026, 23:05 +00:00');
  t.equal(momentText(at, 'Asia/Kolkata'), '26 Nov 2026, 04:35 +05:30');
  const minute = 60_000;
  t.strictSame(
    [0, 59_000, minute, 3 * minute, 60 * minute, 49 * 60 * minute, -5 * minute].map((past) =>
      agoText(at - past, at),
    ),
    ['just now', 'just now', '1 minute ago', '3 minutes ago', '1 hour ago', '2 days ago', 'in 5 minutes'],
  );
});

tap.test('bars begin at zero and none is higher than the plot', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(1e6), { minLength: 1, maxLength: 25 }), fc.nat(1e6), (counts, bad) => {
      const shown = String(
        barChart({
          ...{ id: 'x', title: 'T', description: 'D', unit: 'Hour', labels: counts.map(String) },
          series: [
            { name: 'Done', counts },
            { name: 'Failed', counts: counts.map(() => bad), isBad: true },
          ],
        }),
      );
      for (const [, y, size] of shown.matchAll(/y="([\d.e-]+)"\s+width="[\d.]+"\s+height="([\d.e-]+)"/g)) {
        t.ok(Number(y) >= 9.9);
        t.ok(Number(y) + Number(size) <= 240);
      }
    }),
    { numRuns: 50 },
  );
});

tap.test('a form keeps what was typed, and says beside the field what is wrong', async (t) => {
  const { problems } = actionInput({ reason: ' ', typed: '41' }, 412);
  t.match(problems, exactly([{ field: 'reason' }, { field: 'typed' }]));
  t.match(actionInput({ reason: 'checked', typed: '4 12' }, 412), {
    reason: 'checked',
    problems: { length: 0 },
  });
  t.match(actionInput({ reason: 'x'.repeat(501) }).problems, exactly([{ field: 'reason' }]));
  const form = String(
    actionForm({ path: '/p', token: 't', button: 'Go', typed: 412, problems, values: { reason: 'a"b' } }),
  );
  t.match(form, /aria-describedby="reason-hint reason-problem"/);
  t.match(form, /value="a&#34;b"/);
  const choice: Html = field({
    name: 's',
    label: 'S',
    value: 'b',
    choices: [
      ['a', 'A'],
      ['b', 'B'],
    ],
  });
  t.match(String(choice), /<option value="b" selected>B/);
});

tap.test('lists: an empty row of links for one page, and addresses that keep their filters', async (t) => {
  t.equal(String(pager({ url: '/l', next: undefined, isFirst: true })), '');
  t.match(
    String(pager({ url: '/l?state=failed', next: 'a b', isFirst: true })),
    /state&#61;failed&#38;after&#61;a\+b/,
  );
  t.equal(withParameter('/l?after=x', 'after', undefined), '/l');
  const shown = String(
    table({ caption: 'C', columns: [{ name: 'N', isNumber: true, show: (n: number) => n }], rows: [1] }),
  );
  t.match(shown, /<th scope="row" class="count" data-name="[^"]*">1<\/th>/);
});
