import type { ListedImport } from '@rollcall/application';
import { companies } from '@rollcall/domain';
import tap from 'tap';
import { companyView } from './companies/company-view.js';
import type { Html } from './frame/html.js';
import { outcomeText } from './imports/import-words.js';
import { processesView } from './processes/processes-view.js';

const times = { timeZone: 'UTC', now: Date.parse('2026-11-30T12:00:00Z') };
const textOf = (page: Html): string =>
  String(page)
    .replace(/<[^>]*>/g, '')
    .replace(/[ \n]+/g, ' ');

tap.test('one is no plural', async (t) => {
  const own = { Status: 'ok', Problems: [], Version: '1.0.0', Commit: null } as const;
  const pageOf = (events: number): string => {
    const anchor = { time: '2026-11-30T11:00:00.000Z', events } as never;
    const situation = { lagMs: 0, pending: [], processes: [], proof: undefined, anchor };
    return textOf(processesView({ own, situation, times, companyId: null }));
  };
  t.match(pageOf(1), /over 1 event(?!s)/);
  const settings = { ...companies.defaultSettings(7), queueThreshold: 1 };
  const company = { companyId: 7, settings, employees: 1, hold: undefined, needs: [] };
  const view = { company, imports: [], notified: undefined, times, days: [], totals: [], canUpload: false };
  t.match(textOf(companyView(view)), /Queued from 1 element E-mails/);
  t.match(pageOf(2_000), /over 2\u202f000 events/);
});

tap.test('a number and its sign do not break', async (t) => {
  const one = { state: 'running', Progress: 'Attempt 1: reading, 25 %' } as ListedImport;
  t.equal(outcomeText(one), 'Attempt 1: reading, 25\u00a0%');
  t.equal(outcomeText({ ...one, Progress: null }), 'Runs now');
});
