import { invitationKeyPaths, readPublicKeys } from '@rollcall/adapters';
import {
  blockOf,
  blocksCollection,
  invitationCollections,
  newestIn,
  noBlock,
  readEmployeeSet,
  setInvitationTemplate,
  systemClock,
  type SendDeps,
} from '@rollcall/application';

import t from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { startTestApp, testContext } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { hour, minute, monday, person, startSender } from './sender.support.js';
import { exactly } from '../support/exactly.js';

const [a, b, c] = [person('A'), person('B'), person('C')];

t.test('a new employee is invited once', async (t) => {
  const sender = await startSender(t);
  await sender.put(a, b);
  t.strictSame(await sender.round(), ['sent', 'sent']);
  t.match(
    sender.sent,
    exactly([
      {
        from: { name: 'Rollcall', address: 'surveys@example.com' },
        to: { name: 'Astrid Holm A', address: 'a@example.com' },
        subject: 'Company 7: a short survey for you',
        text: /^Hello Astrid,\n[^]*\nhttps:\/\/surveys\.example\.com\/start\?token=[\w.-]+\n/,
        html: /href="https:\/\/surveys\.example\.com\/start\?token=[\w.-]+"/,
        date: monday,
      },
      { to: { address: 'b@example.com' } },
    ]),
  );
  t.not(sender.sent[0]?.messageId, sender.sent[1]?.messageId);
  t.strictSame(await sender.events(1), ['InvitationSending', 'InvitationSent']);
  sender.clock.at += 11 * minute;
  await sender.put(a, b, c);
  t.strictSame(await sender.round(), ['sent'], 'the third only');
  t.equal((await sender.look(1)).kind, 'nothing', 'a message too many does no harm');
  t.equal(sender.sent.length, 3);
});

t.test('nobody is invited before the hour, nor who has left by then', async (t) => {
  const sender = await startSender(t);
  sender.clock.at = monday + 11 * hour;
  await sender.put(a, b);
  t.strictSame(await sender.published(), []);
  t.equal((await sender.look(1)).kind, 'nothing', 'nor by a message that comes too early');
  await sender.put(b);
  sender.clock.at = monday + 23 * hour;
  t.strictSame(await sender.published(), [{ companyId: 7, number: 2 }]);
  t.equal((await sender.look(1)).kind, 'nothing', 'nor by a message that is left over');
  t.equal((await sender.look(2)).kind, 'sent');
  t.strictSame(await sender.events(1), [], 'no event is written for it');
  t.match(sender.sent, exactly([{ to: { address: 'b@example.com' } }]));
});

t.test('who is removed and added again is new', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  await sender.round();
  await sender.put();
  await sender.put(a);
  t.strictSame(await sender.round(), ['sent']);
  t.strictSame(await sender.events(2), ['InvitationSending', 'InvitationSent']);
  const [first, second] = sender.sent;
  t.not(first?.messageId, second?.messageId);
});

t.test('the mail goes to the address of the moment', async (t) => {
  const sender = await startSender(t);
  sender.clock.at = monday + 11 * hour;
  await sender.put(a);
  await sender.put({ ...a, Email: 'astrid.new@example.com' });
  sender.clock.at = monday + 23 * hour;
  await sender.round();
  t.match(sender.sent, exactly([{ to: { address: 'astrid.new@example.com' } }]));
});

t.test('read models that are behind send nothing to an address of before', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  const { readModels } = sender.app.adapters;
  const block = blockOf(sender.numberOf(1));
  const set = await readEmployeeSet(readModels, 7);
  const stale = await readModels.get(blocksCollection, [7, block, newestIn(set?.blocks[block] ?? noBlock)]);
  const old = Buffer.from(stale ?? []);
  await sender.put({ ...a, Email: 'astrid.new@example.com' });
  const getMany: typeof readModels.getMany = async (collection, keys, take) =>
    collection === blocksCollection
      ? keys.map((_, place) => take(old, place))
      : readModels.getMany(collection, keys, take);
  t.equal((await sender.look(1, { readModels: withMembers(readModels, { getMany }) })).kind, 'behind');
  t.strictSame(await sender.events(1), []);
  t.equal((await sender.look(1)).kind, 'sent');
});

t.test('a new invitation costs two appends, and its stream is not read', async (t) => {
  const calls: string[] = [];
  const sender = await startSender(t, {
    log: (log) =>
      withMembers(log, {
        append: (stream, ...more) => {
          calls.push('append');
          return log.append(stream, ...more);
        },
        readStream: (stream, ...more) => {
          if (stream.startsWith('invitation-')) calls.push('read');
          return log.readStream(stream, ...more);
        },
      }),
  });
  await sender.put(a);
  t.equal((await sender.look(1)).kind, 'sent');
  t.strictSame(calls, ['append', 'append']);
});

t.test('a first message of what was sent already does no harm', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  t.equal((await sender.look(1)).kind, 'sent');
  const { readModels } = sender.app.adapters;
  const getMany: typeof readModels.getMany = async (collection, keys, take) =>
    collection === invitationCollections.progress
      ? keys.map((_, place) => take(undefined, place))
      : readModels.getMany(collection, keys, take);
  const behind = withMembers(readModels, { getMany });
  t.equal((await sender.look(1, { readModels: behind })).kind, 'nothing', 'not known yet');
  await sender.app.projected();
  t.equal((await sender.look(1)).kind, 'nothing', 'known');
  t.strictSame(await sender.events(1), ['InvitationSending', 'InvitationSent']);
  t.equal(sender.sent.length, 1);
});

t.test('auto-invite off: only who has a date is invited', async (t) => {
  const sender = await startSender(t, { settings: { autoInvite: false } });
  await sender.put(a, { ...b, InvitationDate: '2026-11-23T10:00:00Z' });
  t.strictSame(await sender.round(), []);
  sender.clock.at += hour;
  t.strictSame(await sender.round(), ['sent']);
  t.match(sender.sent, exactly([{ to: { address: 'b@example.com' } }]));
  t.equal((await sender.look(1)).kind, 'nothing');
});

t.test("hold stops a company's sending at once and keeps everything due", async (t) => {
  const sender = await startSender(t);
  await sender.put(a, b);
  const published = await sender.published();
  t.equal(published.length, 2);
  t.equal((await sender.look(1)).kind, 'sent');
  await sender.hold();
  t.equal((await sender.look(2)).kind, 'nothing', 'what was published is not sent');
  sender.clock.at += hour;
  t.strictSame(await sender.published(), []);
  await sender.hold('release');
  t.strictSame(await sender.round(), ['sent']);
  t.equal(sender.sent.length, 2);
});

/** Something happens when the sender looks at the company for the second time, behind its claim. */
function behindClaim({ companies }: SendDeps, happens: () => Promise<unknown>): Partial<SendDeps> {
  let loads = 0;
  const load: typeof companies.load = async (id) => {
    if (++loads === 2) await happens();
    return companies.load(id);
  };
  return { companies: Object.assign(Object.create(companies) as typeof companies, { load }) };
}

t.test('held between the claim and the mail', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  t.equal(
    (
      await sender.look(
        1,
        behindClaim(sender.deps, () => sender.hold()),
      )
    ).kind,
    'withheld',
  );
  sender.clock.at += 10 * minute;
  t.equal((await sender.look(1)).kind, 'nothing');
  await sender.hold('release');
  t.equal((await sender.look(1)).kind, 'sent');
  t.equal(sender.sent.length, 1);
});

t.test('removed between the claim and the mail', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  t.equal(
    (
      await sender.look(
        1,
        behindClaim(sender.deps, () => sender.put()),
      )
    ).kind,
    'withheld',
  );
  sender.clock.at += 10 * minute;
  t.equal((await sender.look(1)).kind, 'cancelled', 'what is open is closed');
  t.strictSame(sender.sent, []);
});

t.test('another address between the claim and the mail', async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  const changed = behindClaim(sender.deps, () => sender.put({ ...a, Email: 'astrid.new@example.com' }));
  t.equal((await sender.look(1, changed)).kind, 'withheld');
  t.strictSame(sender.sent, [], 'none to the address of before');
  sender.clock.at += 10 * minute;
  t.strictSame(await sender.round(), ['sent']);
  t.match(sender.sent, exactly([{ to: { address: 'astrid.new@example.com' } }]));
});

t.test('the template of the language, from the sender of the company', async (t) => {
  const sender = await startSender(t);
  const changes = { subject: '{{Fullname}}, hej', sender: { name: 'HR', address: 'hr@example.com' } };
  const deps = { log: sender.app.adapters.log, clock: systemClock };
  await setInvitationTemplate(deps, testContext(7), { companyId: 7, language: 1041, changes });
  await sender.put(a, { ...b, Dimensions: { Language: 'da' } });
  await sender.round();
  t.match(
    sender.sent,
    exactly([
      { from: { name: 'Rollcall' }, subject: 'Company 7: a short survey for you' },
      { from: { name: 'HR', address: 'hr@example.com' }, subject: 'Astrid Holm B, hej', text: /^Hej Astrid/ },
    ]),
  );
});

const tokenIn = (text: string): string => /token=([\w.-]+)/.exec(text)?.[1] ?? '';
const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

t.test("an invitation's token is no API token, whatever keys are known", async (t) => {
  const sender = await startSender(t);
  await sender.put(a);
  await sender.round();
  const [mail] = sender.sent;
  const token = tokenIn(mail?.text ?? '');
  t.match(claimsOf(token), {
    aud: 'rollcall-invitation',
    sub: `7/${sender.numberOf(1)}`,
    iat: monday / 1000,
    exp: monday / 1000 + 30 * 86_400,
    jti: mail?.messageId,
  });
  const paths = ['/v1.0/Survey?companyId=7', '/v1.0/Company/7/Employee', '/v1.0/Company/7/ApiCalls'];
  const { publicFolder } = invitationKeyPaths(`${sender.app.store.config.dataDir}/keys`);
  const own = await readPublicKeys(publicFolder);
  t.equal(own.size, 1);
  const time = new ManualTime();
  const careless = await startTestApp(t, {
    shape: 'one',
    beside: sender.app,
    every: time.every,
    rereadPublicKeys: (keys) => Promise.resolve({ keys: new Map([...keys, ...own]), unusable: new Map() }),
  });
  await time.tick(2_000);
  for (const app of [sender.app, careless])
    for (const path of paths) t.equal((await app.call('GET', path, { token })).status, 401, path);
});
