import {
  configureCompany,
  type IndexOptions,
  LogCorrupt,
  ReadModelsUnavailable,
  systemClock,
} from '@rollcall/application';
import { setImmediate } from 'node:timers/promises';
import tap from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { startTestApp, testContext } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { busyDay, happened } from '../page/history.js';
import { ada, auditor, linkFor, signedIn, Visitor } from './page.support.js';
import { exactly } from '../support/exactly.js';

const all = { ...ada, companyId: null };
const shownIn = (text: string): readonly string[] =>
  [...text.matchAll(/class="what"[^>]*>([^<]+)</g)].map(([, what = '']) => what);

/** The same object, with some of its methods replaced. */
const except = <T extends object>(whole: T, others: Readonly<Record<string, unknown>>): T =>
  new Proxy(whole, {
    get: (target, name) => {
      if (typeof name === 'string' && Object.hasOwn(others, name)) return others[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

tap.test('what needs attention, of the companies that one may see', async (t) => {
  const app = await startTestApp(t);
  await busyDay(app);
  await app.projected();
  const own = await (await signedIn(app)).get('/operations');
  t.match(
    shownIn(own.text),
    exactly([/imports of Company 7 failed/, '6 invitations failed', /^Webhook 1 of Company 7/]),
  );
  t.match(own.text, /Imports of the last 24 hours: \d+ done, \d+ not done\./);
  const other = await signedIn(app, { ...ada, companyId: 8 });
  t.strictSame(shownIn((await other.get('/operations')).text), []);
  const reader = await signedIn(app, auditor);
  const each = await reader.get('/operations');
  t.equal(shownIn(each.text).length, 3, 'an Auditor sees the same');
  t.ok(shownIn(each.text).includes('6 invitations of Company 7 failed'));
  for (const visitor of [reader, await signedIn(app)]) {
    const { text } = await visitor.get('/operations/companies/7');
    t.strictSame(shownIn(text), shownIn(own.text), 'a company says the same of itself');
  }
  t.match((await reader.get('/operations/companies/8')).text, /Nothing of this company needs attention/);
  const list = (await reader.get('/operations/companies')).text;
  t.match(list, /Company 7<.*3 things to look at.*Company 8<.*✓<\/span> Nothing/s);
  const [, path = ''] = /href="([^"]*invitations[^"]*)">6 invitations/.exec(each.text) ?? [];
  const failed = await reader.get(path.replaceAll('&#61;', '=').replaceAll('&#38;', '&'));
  t.match(failed.text, /Invitations of Company 7.*Failed, the newest first.*no such mailbox/s);
});

tap.test('a parked stream is named to those who see its company', async (t) => {
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: except(readModels, {
        parkedStreams: () => Promise.resolve([{ stream: 'company-8', revision: 0, problem: 'test' }]),
      }),
    }),
  });
  await app.projected();
  t.strictSame(shownIn((await (await signedIn(app)).get('/operations')).text), []);
  const text = shownIn((await (await signedIn(app, all)).get('/operations')).text).join('\n');
  t.match(text, 'What happens in Company 8 is not shown any more');
});

tap.test('of each kind the first 20 are shown, and how many more there are', async (t) => {
  const companies = Array.from({ length: 25 }, (_, at) => at + 1001);
  const app = await startTestApp(t, {
    shape: 'one',
    wrap: ({ log, readModels }) => ({
      log,
      readModels: except(readModels, {
        parkedStreams: () =>
          Promise.resolve(
            companies.map((id) => ({ stream: `invitation-7-${id}`, revision: 0, problem: 'test' })),
          ),
      }),
    }),
  });
  const deps = { ...app.adapters, clock: systemClock };
  for (const companyId of companies) {
    const changes = { name: `Firm ${companyId}`, languages: [], integrationEnabled: true };
    await configureCompany(deps, testContext(companyId), { companyId, changes });
    const on = { at: Date.now(), stream: `company-${companyId}`, companyId };
    await happened(app, on, { name: 'InvitationsHeld', data: { reason: 'a pause' } });
  }
  await app.projected();
  const visitor = await signedIn(app, all);
  const start = (await visitor.get('/operations')).text;
  t.match(start, /51 things to look at/);
  t.equal(shownIn(start).filter((what) => /^Invitations of Firm \d+ are held$/.test(what)).length, 20);
  t.match(start, /href="\/operations\/invitations">And 5 more like these</);
  t.equal(shownIn(start).filter((what) => what.startsWith('What happens in Company 7')).length, 20);
  t.match(start, /href="\/operations\/processes">And 5 more like these</);
  t.match((await visitor.get('/operations/companies')).text, /Company 7<.*25 things to look at/s);
  t.equal(shownIn((await visitor.get('/operations/companies/7')).text).length, 21);
  t.notMatch((await visitor.get('/operations/companies/1001')).text, /more like these/);
});

tap.test('servers that are away are named, without the read models too', async (t) => {
  const unavailable = () => Promise.reject(new ReadModelsUnavailable('away'));
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: except(readModels, {
        progress: unavailable,
        parkedStreams: unavailable,
        generations: unavailable,
        find: async function* () {
          await unavailable();
          yield* [];
        },
        findBatches: async function* () {
          await unavailable();
          yield* [];
        },
      }),
    }),
  });
  const visitor = await signedIn(app);
  const start = await visitor.get('/operations');
  t.match(start, { status: 200, text: /The read models cannot be read/ });
  t.notMatch(start.text, /by hour/);
  const companies = await visitor.get('/operations/companies/7');
  t.match(companies, { status: 503, text: /cannot be shown at the moment/ });
  t.equal(companies.headers.get('retry-after'), '1');
});

tap.test('a damaged stream of one webhook hides no page', async (t) => {
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        listStreams: async function* (prefix) {
          if (prefix === 'webhooks-') throw new LogCorrupt('webhooks-8 is damaged');
          yield* log.listStreams(prefix);
        },
      }),
    }),
  });
  await app.projected();
  const visitor = new Visitor(app);
  await visitor.post(linkFor(app, all));
  for (const path of ['', '/companies', '/companies/7'])
    t.equal((await visitor.get(`/operations${path}`)).status, 200, path);
  t.match((await visitor.get('/operations')).text, /states of webhooks cannot be read/);
  const own = (await visitor.get('/operations/companies/7')).text;
  t.notMatch(own, /cannot be read/, 'a company asks for its own webhooks alone');
});

tap.test('a look at a company reads its webhooks once, and is shown where they are damaged', async (t) => {
  let [reads, isDamaged] = [0, false];
  const app = await startTestApp(t, {
    settings: { languages: [] },
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: (stream, options) => {
          if (stream === 'webhooks-7') reads += 1;
          if (stream === 'webhooks-7' && isDamaged) throw new LogCorrupt('webhooks-7 is damaged');
          return log.readStream(stream, options);
        },
      }),
    }),
  });
  await app.projected();
  const visitor = await signedIn(app);
  const look = async () => {
    reads = 0;
    return (await visitor.get('/operations/companies/7')).text;
  };
  isDamaged = true;
  t.match(await look(), /states of webhooks cannot be read.*E-mails of imports<\/dt>\s*<dd>–</s);
  isDamaged = false;
  t.match(await look(), /E-mails of imports<\/dt>\s*<dd>Off<.*Languages<\/dt>\s*<dd>None</s);
  t.equal(reads, 1);
});

tap.test('companies that are asked at once are looked at one after the other', async (t) => {
  let [running, most, looks] = [0, 0, 0];
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: except(readModels, {
        findByIndex: async function* (collection: string, index: string, options: IndexOptions) {
          const isLook = index === 'position';
          if (isLook) {
            looks += 1;
            most = Math.max(most, (running += 1));
            for (let turns = 0; turns < 100; turns += 1) await setImmediate();
          }
          yield* readModels.findByIndex(collection, index, options);
          if (isLook) running -= 1;
        },
      }),
    }),
  });
  await busyDay(app);
  await app.projected();
  const visitor = await signedIn(app, all);
  looks = 0;
  await Promise.all([7, 8].map((id) => visitor.get(`/operations/companies/${id}`)));
  t.strictSame([looks, most], [2, 1], 'each changes what is known of the open invitations');
});

tap.test('of more failed invitations than are looked at the start and the companies say so', async (t) => {
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: except(readModels, {
        findByIndex: async function* (collection: string, index: string, options: IndexOptions) {
          if (index === 'allEnded') for (let n = 0; n < 4_001; n += 1) yield { key: [7, n], revision: 0 };
          else yield* readModels.findByIndex(collection, index, options);
        },
      }),
    }),
  });
  await app.projected();
  const visitor = await signedIn(app, all);
  for (const path of ['', '/companies'])
    t.match((await visitor.get(`/operations${path}`)).text, /More than 4\u202f000 invitations failed/, path);
  const own = await visitor.get('/operations/companies/8');
  t.notMatch(own.text, /More than/, 'one company is counted by itself');
});

tap.test('overdue invitations of a company are looked for in it alone, unless they are held', async (t) => {
  const asked: string[] = [];
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: except(readModels, {
        findByIndex: (collection: string, index: string, options: IndexOptions) => {
          asked.push(index);
          return readModels.findByIndex(collection, index, options);
        },
      }),
    }),
  });
  const due = { dueAt: new Date(Date.now() - 3_600_000).toISOString(), replaces: null, reason: null };
  const on = { at: Date.now(), stream: 'invitation-7-1' };
  await happened(app, on, { name: 'InvitationRequested', data: due });
  await app.projected();
  const visitor = await signedIn(app, auditor);
  t.match((await visitor.get('/operations/companies/7')).text, /Invitations of Company 7 are overdue/);
  t.notMatch((await visitor.get('/operations/companies/8')).text, /overdue/);
  t.notOk(asked.includes('allDue'));
  t.match((await visitor.get('/operations')).text, /Invitations of Company 7 are overdue/);
  t.ok(asked.includes('allDue'));
  const held = { at: Date.now(), stream: 'company-7' };
  await happened(app, held, { name: 'InvitationsHeld', data: { reason: 'a pause' } });
  await app.projected();
  t.notMatch((await visitor.get('/operations/companies/7')).text, /overdue/);
});

tap.test('since when nothing is shown any more, and what to do', async (t) => {
  const clock = new ManualTime();
  const app = await startTestApp(t, { clock, projector: false });
  clock.pass(12.5 * 60_000);
  const visitor = new Visitor(app);
  await visitor.post(linkFor(app, all, { expiresAt: clock.now() + 1_000 }));
  t.match((await visitor.get('/operations')).text, /The read models are 7\d\d s behind the event log/);
  const { text } = await visitor.get('/operations/processes');
  t.match(text, /Behind<\/span>\s*The oldest event that is not shown is of\s*<time datetime="/);
  t.match(text, /\(12 minutes ago\)/);
  t.match(text, /What to do:.*projector/s);
});
