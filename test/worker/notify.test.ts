import {
  changeWebhook,
  decideHeldImport,
  type Mail,
  type MailOutcome,
  notifier,
  readWebhooks,
  type SubscriptionItem,
} from '@rollcall/application';
import fc from 'fast-check';
import tap from 'tap';
import { callContext } from '../application/decide-and-append.support.js';
import {
  company,
  configure,
  manage,
  names,
  people,
  queue,
  request,
  runAll,
  type Company,
} from '../application/imports.support.js';
import { scoped, type Ending } from '../support/rig.js';
import { scale } from '../support/scale.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';
import { addWebhook, startWebhooks, type RunningWebhooks } from './webhooks.support.js';

const guarded = { batchLimit: 25, batchLimitFrom: 4, overLimit: 'hold' } as const;
const sent = { outcome: 'sent', response: '250 ok' } as const;
const away = { outcome: 'deferred', code: 'ETIMEDOUT', problem: 'no answer' } as const;
const days = 86_400_000;

const notify = (on: Company, address: string | null) =>
  changeWebhook(on, callContext(), { kind: 'notify', companyId: 7, address });

async function notified(t: Ending): Promise<Company> {
  const on = await company(t, guarded);
  await on.engine().accept(request('employees', people(1, 2, 3, 4)));
  await notify(on, 'hr@example.com');
  return on;
}

async function held(on: Company): Promise<string> {
  const outcome = await on.engine().accept(request('employees', people(1)));
  if (outcome.kind !== 'queued') throw new Error(`${outcome.kind} instead of queued`);
  return outcome.operationId;
}

const decide = (on: Company, operationId: string, decision: 'approve' | 'reject') =>
  decideHeldImport(manage(on), callContext(), { companyId: 7, operationId, decision });

const page = 'https://rollcall.example.com';

const notifierWith = (send: (mail: Mail) => MailOutcome, operationsUrl?: string) =>
  notifier({
    mailer: { send: (mail, { mayLeave } = {}) => Promise.resolve(mayLeave?.() ? send(mail) : away) },
    sender: { name: 'Rollcall', address: 'rollcall@example.com' },
    domain: 'example.com',
    operationsUrl,
  });

function workerOf(
  on: Pick<Company, 'clock' | 'log' | 'snapshots'>,
  ...options: Parameters<typeof notifierWith>
): RunningWebhooks {
  const none = () => Promise.reject(new Error('nothing is posted'));
  return startWebhooks(on, on.log, none, notifierWith(...options));
}

const stateOf = async (on: Company) => (await readWebhooks(on, 7)).webhooks.get(1);

tap.test('one e-mail when an import is held, when nobody decides, and when it fails for good', async (t) => {
  const on = await notified(t);
  const mails: Mail[] = [];
  const running = workerOf(
    on,
    (mail) => {
      mails.push(mail);
      return sent;
    },
    page,
  );
  t.teardown(() => running.stop());
  const first = await held(on);
  await until('it is held', () => mails.length === 1);
  await runAll(on.engine({ clock: { now: () => on.clock.now() + 8 * days } }));
  await until('nobody has decided', () => mails.length === 2);
  const failing = await queue(on.engine(), 'employees', people(1, 2));
  await configure(on, { integrationEnabled: false });
  await runAll(on.engine());
  await until('it has failed', () => mails.length === 3);
  const url = (id: string): string => `${page}/operations/imports/${id}`;
  const counts =
    'It would add 0, update 0 and remove 3 of 4 employees present: more than the batch limit of 25 %.';
  t.match(mails[0], {
    to: { name: '', address: 'hr@example.com' },
    subject: 'An employee import of company 7 is held',
    messageId: /^[0-9a-f-]{36}@example\.com$/,
  });
  t.match(mails[0]?.text, counts);
  t.match(mails[0]?.html, `<a href="${url(first)}">${url(first)}</a>`);
  t.match(mails[1], { subject: 'An employee import of company 7 is cancelled' });
  t.match(mails[1]?.text, counts);
  t.match(mails[1]?.text, /Nobody approved or rejected it within 7 days/);
  t.match(mails[2], { subject: 'An employee import of company 7 has failed' });
  t.match(mails[2]?.text, /^400: .*Problems that were found: [1-9]/m);
  t.match(mails[2]?.text, url(failing));
  t.notMatch(JSON.stringify(mails.map(({ text, html }) => text + html)), /E-[1-9]|e[1-9]@|Ada/);
});

tap.test('what a person has decided is not sent, nor what was before; `off` ends it', async (t) => {
  const on = await company(t, guarded);
  await on.engine().accept(request('employees', people(1, 2, 3, 4)));
  await decide(on, await held(on), 'reject');
  await notify(on, 'hr@example.com');
  const mails: Mail[] = [];
  const running = workerOf(on, (mail) => {
    mails.push(mail);
    return sent;
  });
  t.teardown(() => running.stop());
  const operationId = await held(on);
  await decide(on, operationId, 'reject');
  const last = await held(on);
  await until('both holds are sent', () => mails.length === 2);
  t.match(mails[0]?.text, `rollcall imports show --operation ${operationId}`, 'without the URL of a page');
  await until('it is recorded', async () => (await stateOf(on))?.claimedUntil === null);
  await notify(on, null);
  await decide(on, last, 'reject');
  await held(on);
  t.equal((await names(on.log, 'webhooks-7')).at(-1), 'WebhookRemoved');
  t.equal(mails.length, 2);
});

tap.test('a mail server that is away is tried again, under the same Message-ID', async (t) => {
  const on = await notified(t);
  const ids: string[] = [];
  const running = workerOf(on, ({ messageId }) => {
    ids.push(messageId);
    return ids.length < 3 ? away : sent;
  });
  t.teardown(() => running.stop());
  await held(on);
  await until('it is deferred', async () => (await stateOf(on))?.deferred?.attempt === 1);
  await until('it is sent', async () => {
    on.clock.at += 60_000;
    const state = await stateOf(on);
    return ids.length === 3 && state?.deferred === null && state.claimedUntil === null;
  });
  t.equal(new Set(ids).size, 1);
});

tap.test('e-mails that wait together are recorded one by one', async (t) => {
  const on = await notified(t);
  await addWebhook(on, 'https://a.example.com/', ['import.held']);
  for (let count = 0; count < 3; count++) await decide(on, await held(on), 'reject');
  const reached: unknown[] = [];
  let posted = 0;
  const post = async () => {
    posted += 1;
    return { accepted: true } as const;
  };
  const running = startWebhooks(on, on.log, post, async () => {
    await until('all three are read', () => posted === 3);
    reached.push((await stateOf(on))?.delivered);
    return { accepted: true };
  });
  t.teardown(() => running.stop());
  await until('all are sent', () => reached.length === 3);
  t.equal(new Set(reached.map((place) => JSON.stringify(place))).size, 3, 'each after the one before');
});

tap.test('an e-mail does not leave in the last two minutes of its claim', async (t) => {
  const on = await notified(t);
  const may: boolean[] = [];
  const none = () => Promise.reject(new Error('nothing is posted'));
  const running = startWebhooks(on, on.log, none, async ({ mayLeave }) => {
    for (const ms of [8 * 60_000 - 1, 1]) {
      on.clock.at += ms;
      may.push(mayLeave());
    }
    return { accepted: true };
  });
  t.teardown(() => running.stop());
  await held(on);
  await until('it was asked', () => may.length === 2);
  t.strictSame(may, [true, false]);
});

/** As of a worker that never learns by itself what others have delivered. */
async function* withoutWebhooks(items: AsyncIterable<SubscriptionItem>): AsyncIterable<SubscriptionItem> {
  for await (const item of items)
    if (item.kind !== 'event' || !item.event.stream.startsWith('webhooks-')) yield item;
}

tap.test('a worker that lags behind the others sends nothing again', async (t) => {
  const on = await notified(t);
  const ids: string[] = [];
  const lagging = withMembers(on.log, {
    subscribeToAll: (options) => withoutWebhooks(on.log.subscribeToAll(options)),
  });
  const running = [1, 2].map(() =>
    workerOf({ ...on, log: lagging }, ({ messageId }) => {
      ids.push(messageId);
      return sent;
    }),
  );
  t.teardown(() => Promise.all(running.map((each) => each.stop())));
  for (const count of [1, 2, 3, 4]) {
    await decide(on, await held(on), 'reject');
    await until('one has sent it, and the other has looked', async () => {
      const ends = (await names(on.log, 'webhooks-7')).filter((name) => name === 'WebhookDelivered');
      on.clock.at += 61_000;
      return ends.length === 2 * count;
    });
  }
  t.equal(ids.length, 4);
});

type Step = 'hold' | 'restart' | 'minute';

/** Three workers at once, and a mail server that sometimes is away. */
class Workers {
  readonly accepted: string[] = [];
  readonly #begin: () => RunningWebhooks;
  #running: readonly RunningWebhooks[];

  constructor(on: Company, dice: Iterator<number>) {
    this.#begin = () =>
      workerOf(on, ({ messageId }) => {
        if (dice.next().value < 3) return away;
        this.accepted.push(messageId);
        return sent;
      });
    this.#running = [1, 2, 3].map(this.#begin);
  }

  async replace(): Promise<void> {
    const [first, ...others] = this.#running;
    await first?.stop();
    this.#running = [...others, this.#begin()];
  }

  async stop(): Promise<void> {
    for (const each of this.#running) await each.stop();
  }
}

async function history(steps: readonly Step[], dice: Iterator<number>): Promise<void> {
  await scoped(async (scope) => {
    const on = await notified(scope);
    const workers = new Workers(on, dice);
    let holds = 0;
    for (const step of steps) {
      if (step === 'minute') on.clock.at += 60_000;
      else if (step === 'restart') await workers.replace();
      else {
        await decide(on, await held(on), 'reject');
        holds += 1;
      }
    }
    await until('all are sent', () => {
      on.clock.at += 61_000;
      return new Set(workers.accepted).size === holds;
    });
    await workers.stop();
    if (workers.accepted.length !== holds) throw new Error(`${workers.accepted.length} e-mails of ${holds}`);
  });
}

const runs = Math.ceil(100 * scale);

tap.test(`each e-mail is sent once, by many workers (${runs})`, { timeout: 300_000 }, async () => {
  const step = fc.constantFrom<Step>('hold', 'hold', 'restart', 'minute');
  const steps = fc.array(step, { maxLength: 12 });
  await fc.assert(fc.asyncProperty(steps, fc.infiniteStream(fc.nat(9)), history), { numRuns: runs });
});
