import tap from 'tap';
import { exactly } from '../support/exactly.js';
import { objectOf, rollcallWithin } from './rollcall.js';

/** What a new company has unless something else is said. */
const defaults = {
  'time-zone': 'UTC',
  'business-days': 'Mon,Tue,Wed,Thu,Fri',
  'business-hours': '08:00-17:00',
  holidays: 'none',
  hierarchy: 'off',
  'department-dimensions': 'Department',
  'division-dimensions': 'none',
  'project-dimensions': 'none',
  languages: 'none',
  'batch-limit-from': '100',
  'over-limit': 'refuse',
  'queue-threshold': '1000',
  'auto-invite': 'on',
};

tap.test('what protects a company is loosened with a reason only', async (t) => {
  const rollcall = rollcallWithin(t.testdir());
  const set = (words: string) => rollcall(`company configure --company 7 ${words}`);
  t.match(await set('--batch-limit 25 --integration on'), { code: 0 }, 'a new company has nothing to loosen');
  t.match(await set('--batch-limit 20 --integration off'), { code: 0 }, 'tighter');
  const refused = { code: 1, out: '', err: /^--batch-limit and --integration would weaken .* --reason\.\n$/ };
  t.match(await set('--batch-limit none --integration on'), refused);
  t.match(await set('--batch-limit 21'), { code: 1, err: /^--batch-limit would/ });
  t.match(await set('--batch-limit 20 --name Seven'), { code: 0 });
  t.match(await set('--batch-limit none --integration on --reason merger'), { code: 0 });
  const lines = (await rollcall('audit log --company 7')).out.trimEnd().split('\n');
  t.match(lines.at(-1), / integration "off" -> "on" batch-limit "20" -> "none" because "merger"$/);
  t.match(lines.at(-2), / name "Company 7" -> "Seven"$/);
  const { events } = objectOf(await rollcall('audit log --company 7 --json')) as {
    events: readonly { readonly recordedAt: string; readonly changes: readonly unknown[] }[];
  };
  const first = { name: 'Company 7', ...defaults, integration: 'on', 'batch-limit': '25' };
  t.strictSame(
    new Set(events[0]?.changes),
    new Set(Object.entries(first).map(([setting, after]) => ({ setting, before: null, after }))),
    'the first names every setting',
  );
  t.strictSame(events[1]?.changes, [
    { setting: 'integration', before: 'on', after: 'off' },
    { setting: 'batch-limit', before: '25', after: '20' },
  ]);
  const from = events.at(-1)?.recordedAt ?? '';
  const later = objectOf(await rollcall(`audit log --company 7 --json --from ${from}`));
  t.match(
    later,
    { events: exactly([{ changes: [{ before: 'off' }, { before: '20', after: 'none' }] }]) },
    'by themselves',
  );
});

tap.test('integration is switched on for the first time without a reason', async (t) => {
  const rollcall = rollcallWithin(t.testdir());
  const set = (words: string) => rollcall(`company configure --company 7 ${words}`);
  await set('--name Seven');
  t.match(await set('--integration on'), { code: 0, err: /no batch limit/, out: /^ +integration +on$/m });
  await set('--integration off');
  t.match(await set('--integration on'), { code: 1, err: /^--integration would weaken .* --reason\.\n$/ });
});

tap.test('a limit for a time is neither prolonged nor made lasting without a reason', async (t) => {
  let now = Date.now();
  const rollcall = rollcallWithin(t.testdir(), {}, { clock: { now: () => now } });
  const set = (words: string) => rollcall(`company configure --company 7 ${words}`);
  const refused = { code: 1, out: '', err: /^--batch-limit would weaken/ };
  await set('--batch-limit 25');
  t.match(await set('--batch-limit 60 --for 1h --reason merger'), { code: 0 });
  t.match(await set('--batch-limit 60'), refused, 'for good');
  t.match(await set('--batch-limit 60 --for 30d'), refused, 'for longer');
  t.match(await set('--batch-limit 50 --for 30min'), { code: 2 });
  t.match(await set('--batch-limit 50 --for 30m'), { code: 0 }, 'tighter');
  now += 3_600_000;
  t.match(await rollcall('company show --company 7'), { out: /^ +batch-limit +25$/m }, 'what is in force');
  t.match(await set('--batch-limit 60'), refused, 'it is 25 again');
  t.match(await set('--batch-limit none --for 1h --reason merger'), { err: /has no batch limit/ });
  now += 3_600_000;
  t.match(await set('--name Seven'), { code: 0, err: '', out: /^ +batch-limit +25$/m });
  t.match(await set('--batch-limit 20 --for 1h'), { code: 0 });
  t.match(await set('--batch-limit 25'), refused, 'sooner');
  t.match(await set('--batch-limit-from some'), { code: 2, err: /It must be a number, from 0 on/ });
  t.match(
    await rollcall(['company', 'configure', '--company', '7', '--batch-limit', '60', '--reason', ' ']),
    {
      code: 2,
      err: /It must say why/,
    },
  );
});
