import { systemClock } from '@rollcall/application';
import { invitations } from '@rollcall/domain';
import tap, { type Test } from 'tap';
import { people } from '../application/imports.support.js';
import { append } from '../projector/projector.support.js';
import { installation, type Installation } from './imports.support.js';
import { objectOf } from './rollcall.js';
import { exactly } from '../support/exactly.js';

const future = '2126-01-05T07:00:00Z';
const claim = {
  dueAt: future,
  until: '2126-01-05T07:10:00.000Z',
  attempt: 1,
  messageId: 'm-1@example.com',
  startedAt: future,
};

/** Employees 1 to 4, invited in a hundred years; what happens to one is projected at once. */
async function invited(t: Test) {
  const on = await installation(t);
  await on.queue(people(1, 2, 3, 4).map((one) => ({ ...one, InvitationDate: future })));
  await on.run();
  const happens = async (number: number, ...events: readonly invitations.InvitationEvent[]) => {
    const place = { log: on.adapters.log, clock: systemClock };
    await append(place, invitations.invitationStream(7, number), events);
    await on.project();
  };
  return { ...on, happens };
}

/** Runs a command and projects what it wrote. */
async function after(on: Installation, words: string | readonly string[]) {
  const ran = await on.rollcall(words);
  await on.project();
  return ran;
}

const states = async (on: Installation, words = ''): Promise<unknown> => {
  const { invitations: rows } = objectOf(await on.rollcall(`invitations list --company 7 --json ${words}`));
  return (rows as { Number: number; State: string }[]).map(({ Number, State }) => `${Number} ${State}`);
};

tap.test('invitations are listed and shown', async (t) => {
  const on = await invited(t);
  await on.happens(
    2,
    { name: 'InvitationSending', data: claim },
    {
      name: 'InvitationFailed',
      data: { dueAt: claim.until, code: '550', problem: 'No\u001b[2J mailbox' },
    },
  );
  const { code, err, out } = await on.rollcall('invitations list --company 7 --top 2');
  t.same({ code, err }, { code: 0, err: '' });
  t.match(
    out.split('\n'),
    exactly([
      /^number +employee +state +due +attempts +last error$/,
      /^1 +E-1 +Planned +2126-01-05T07:00:00Z +0$/,
      /^2 +E-2 +Failed +2126-01-05T07:00:00Z +1 +550 No\\u\{1b\}\[2J mailbox$/,
      '',
    ]),
  );
  t.same(await states(on), ['1 Planned', '2 Failed', '3 Planned', '4 Planned']);
  t.same(await states(on, '--state Failed'), ['2 Failed']);

  const shown = await on.rollcall('invitations show --company 7 --employee E-2');
  t.match(shown, { code: 0, err: '' });
  t.match(shown.out, /^Invitation of employee 2 of company 7, "E-2"\n {2}state {7}Failed\n/);
  t.match(shown.out, /\n {2}message id {2}m-1@example\.com\n {2}\d{4}-\S+Z InvitationSending by HR system\n/);
  t.match(objectOf(await on.rollcall('invitations show --company 7 --number 2 --json')), {
    companyId: 7,
    Number: 2,
    State: 'Failed',
    LastError: { Code: '550' },
    history: exactly([{ event: 'InvitationSending', by: 'HR system' }, { event: 'InvitationFailed' }]),
  });
  t.match(await on.rollcall('invitations show --company 7 --employee E-9'), {
    code: 1,
    err: 'Company 7 has no employee "E-9".\n',
  });
  t.match(await on.rollcall('invitations show --company 7 --number 9'), { code: 1, err: /is known\.\n$/ });
  for (const words of ['--company 7', '--company 7 --number 1 --employee E-1', '--number 1'])
    t.equal((await on.rollcall(`invitations show ${words}`)).code, 2, words);
  t.equal((await on.rollcall('invitations list --company 7 --state Late')).code, 2);
});

tap.test("a company's invitations are held and released", async (t) => {
  const on = await invited(t);
  const held = await after(on, ['invitations', 'hold', '--company', '7', '--reason', 'not yet']);
  t.match(held, { code: 0, out: 'The invitations of company 7 are held.\n', err: '' });
  t.same(await states(on), ['1 Held', '2 Held', '3 Held', '4 Held']);
  const again = await on.rollcall('invitations hold --company 7 --json');
  t.same(objectOf(again), { companyId: 7, held: true, changed: false });
  const released = await after(on, 'invitations release --company 7');
  t.match(released, { code: 0, out: 'The invitations of company 7 are not held.\n' });
  t.same(await states(on, '--top 1'), ['1 Planned']);
  t.match(await on.rollcall('invitations hold --company 8'), {
    code: 1,
    err: /^Company 8 is not configured/,
  });
  const log = await on.rollcall('audit log --company 7 --type InvitationsHeld');
  t.match(log.out, /InvitationsHeld .*not yet/);
  const long = ['invitations', 'hold', '--company', '7', '--reason', 'x'.repeat(501)];
  t.match(await on.rollcall(long), { code: 2, err: /--reason.* at most 500 characters/ });
});

tap.test('one invitation is cancelled, and asked for again', async (t) => {
  const on = await invited(t);
  const one = '--company 7 --number 1';
  const cancelled = await after(on, `invitations cancel --company 7 --employee E-1`);
  t.match(cancelled, {
    code: 0,
    err: '',
    out: /^The invitation of employee 1 of company 7 is cancelled\.\n$/,
  });
  t.same(await states(on, '--top 1'), ['1 Cancelled']);
  t.match(await on.rollcall(`invitations cancel ${one}`), { code: 0, out: /cancelled already\.\n$/ });
  t.match(await after(on, `invitations resend ${one}`), { code: 0, out: /is requested\.\n$/ });
  t.same(await states(on, '--top 1'), ['1 Due']);
  t.match(objectOf(await on.rollcall(`invitations resend ${one} --json`)), { changed: false });

  await on.happens(2, { name: 'InvitationSending', data: claim });
  for (const command of ['cancel', 'resend'])
    t.match(await on.rollcall(`invitations ${command} --company 7 --number 2`), {
      code: 1,
      err: /is being sent: try again after 2126-01-05T07:10:00\.000Z\.\n$/,
    });
  const sentAt = '2026-11-23T07:00:00.000Z';
  const data = { dueAt: claim.until, messageId: claim.messageId, response: '250 Ok', sentAt };
  await on.happens(2, { name: 'InvitationSent', data });
  t.match(await on.rollcall('invitations cancel --company 7 --number 2'), {
    code: 1,
    err: /was sent already\.\n$/,
  });
  t.match(await after(on, 'invitations resend --company 7 --number 2'), { code: 0 }, 'once more');
  t.match(await on.rollcall('invitations cancel --company 7 --number 99'), { code: 1, err: /not planned/ });
  t.match(await on.rollcall('invitations resend --company 7 --number 99'), {
    code: 1,
    err: 'Company 7 has no employee 99: nobody who has left is invited.\n',
  });
});
