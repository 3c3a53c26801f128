import {
  cancelQueuedImport,
  changeWebhook,
  CompanyStateCache,
  decideHeldImport,
  readWebhooks,
  type EventLog,
  type RecordedEvent,
} from '@rollcall/application';
import fc from 'fast-check';
import tap, { type Test } from 'tap';
import { callContext, noSleep } from '../application/decide-and-append.support.js';
import {
  company,
  configure,
  manage,
  names,
  people,
  queue,
  request,
  type Company,
} from '../application/imports.support.js';
import { FailingLog } from '../support/failing-log.js';
import { scoped } from '../support/rig.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';
import {
  addWebhook,
  importMany,
  importOne,
  received,
  startWebhooks,
  type Received,
  type RunningWebhooks,
} from './webhooks.support.js';
import { exactly } from '../support/exactly.js';

const accepted = { accepted: true } as const;
const refused = { accepted: false, problem: 'answered 500' } as const;
const [a, b] = ['https://a.example.com/', 'https://b.example.com/'];

tap.test('a webhook is told what it asks for, with ids and counts', async (t) => {
  const on = await company(t);
  await importOne(on, 1);
  await addWebhook(on, a);
  await addWebhook(on, b, ['import.failed']);
  const seen: Received[] = [];
  const running = startWebhooks(on, on.log, async (message) => {
    seen.push(received(message));
    return accepted;
  });
  t.teardown(() => running.stop());
  const operationId = await importOne(on, 2);
  const cancelled = await queue(on.engine(), 'employees', people(3));
  const states = new CompanyStateCache({ ...on, cacheBytes: 1_000_000 });
  const command = { companyId: 7, operationId: cancelled };
  await cancelQueuedImport({ ...on, states, sleep: noSleep }, callContext(), command);
  await until('both are told', () => seen.length === 3);
  const counts = { inserted: 1, updated: 0, removed: 1 };
  t.match(
    seen.sort((one, other) => one.url.localeCompare(other.url)),
    exactly([
      {
        url: a,
        type: 'import.completed',
        data: { companyId: 7, operationId, kind: 'employees', status: 200, ...counts },
      },
      { url: a, type: 'import.failed', data: { operationId: cancelled, kind: 'employees', status: 409 } },
      { url: b, type: 'import.failed', data: { operationId: cancelled } },
    ]),
    'what was before a webhook is not told',
  );
  t.notMatch(JSON.stringify(seen), /example\.com.*e2@|E-2/, 'no personal value');
});

tap.test('a held import is told with what it would do, and its end once somebody rejects it', async (t) => {
  const on = await company(t, { batchLimit: 25, batchLimitFrom: 4, overLimit: 'hold' });
  await on.engine().accept(request('employees', people(1, 2, 3, 4)));
  await addWebhook(on, a, ['import.held', 'import.failed']);
  const seen: Received[] = [];
  const running = startWebhooks(on, on.log, async (message) => {
    seen.push(received(message));
    return accepted;
  });
  t.teardown(() => running.stop());
  const outcome = await on.engine().accept(request('employees', people(1)));
  const operationId = outcome.kind === 'queued' ? outcome.operationId : '';
  await until('it is told', () => seen.length === 1);
  const counts = { inserted: 0, updated: 0, removed: 3, present: 4, limit: 25 };
  const data = { companyId: 7, operationId, kind: 'employees' };
  t.strictSame(seen[0], {
    url: a,
    id: seen[0]?.id,
    type: 'import.held',
    data: { ...data, status: 202, ...counts },
  });
  const command = { companyId: 7, operationId, decision: 'reject' } as const;
  await decideHeldImport(manage(on), callContext(), command);
  await until('it is rejected', () => seen.length === 2);
  t.match(seen[1], { type: 'import.failed', data: { ...data, status: 409 } });
});

tap.test(
  'what fails is tried again later, then disabled, and told from there on once it is enabled',
  async (t) => {
    const on = await company(t);
    await addWebhook(on, a);
    const seen: string[] = [];
    let answer: typeof accepted | typeof refused = refused;
    const running = startWebhooks(on, on.log, async ({ id }) => {
      seen.push(id);
      return answer;
    });
    t.teardown(() => running.stop());
    await importOne(on, 1);
    const stateOf = async () => (await readWebhooks(on, 7)).webhooks.get(1);
    await until('it is deferred', async () => (await stateOf())?.deferred?.attempt === 1);
    await importOne(on, 2);
    t.equal(new Set(seen).size, 1, 'what is behind waits');
    await until('it is disabled', async () => {
      on.clock.at += 3_600_000;
      return (await stateOf())?.status === 'disabled';
    });
    t.equal(new Set(seen).size, 1);
    const attempts = seen.length;
    t.ok(attempts > 10 && attempts < 90, `${attempts} attempts in three days`);
    answer = accepted;
    await changeWebhook(on, callContext(), { kind: 'enable', companyId: 7, webhookId: 1 });
    await until('both are told', () => new Set(seen).size === 2);
    t.equal(seen.length, attempts + 2);
  },
);

/** A log of which some cannot be read, in one of two ways; webhooks of two companies on it. */
async function damaged(t: Test, isDamaged: (event: RecordedEvent) => boolean) {
  const on = await company(t);
  await configure(on, { integrationEnabled: true, departmentDimensions: ['Unit'] }, 8);
  await addWebhook(on, a);
  await addWebhook(on, b, ['import.completed'], 8);
  const state = { isMended: false, reads: 0 };
  const shown = (event: RecordedEvent): RecordedEvent =>
    !state.isMended && isDamaged(event) ? { ...event, data: Buffer.from('{') } : event;
  const log: EventLog = withMembers(on.log, {
    async *readStream(name, options) {
      if (name === 'company-7' || name === 'webhooks-7') state.reads += 1;
      for await (const event of on.log.readStream(name, options)) yield shown(event);
    },
    async *subscribeToAll(options) {
      for await (const item of on.log.subscribeToAll(options))
        yield item.kind === 'event' ? { kind: 'event', event: shown(item.event) } : item;
    },
  });
  const told: Received[] = [];
  const running = startWebhooks(on, log, async (message) => {
    told.push(received(message));
    return accepted;
  });
  t.teardown(() => running.stop());
  const importTo8 = (employee: number) =>
    on.engine().accept(request('employees', people(employee), { companyId: 8 }));
  return { on, state, importTo8, of: (url: string) => told.filter((one) => one.url === url) };
}

for (const [what, isDamaged] of [
  ['webhooks', ({ stream }: RecordedEvent) => stream === 'webhooks-7'],
  ['event', ({ stream, revision }: RecordedEvent) => stream === 'company-7' && revision === 2],
] as const)
  tap.test(`a company whose ${what} cannot be read holds no other up, and goes on once it can`, async (t) => {
    const { on, state, importTo8, of } = await damaged(t, isDamaged);
    const operations = [await importOne(on, 1), await importOne(on, 2)];
    await importTo8(1);
    await until('the other is told', () => of(b).length === 1);
    operations.push(await importOne(on, 3));
    const { reads } = state;
    await until('it is tried again', () => state.reads > reads + 2);
    await importTo8(2);
    await until('the other is told again', () => of(b).length === 2);
    t.ok(of(a).length < 2);
    state.isMended = true;
    await until('everything is told', () => of(a).length === 3);
    const toldOf = of(a).map(({ data }) => data['operationId']);
    t.strictSame(toldOf, operations);
  });

tap.test('one that hangs slows no other down', async (t) => {
  const on = await company(t);
  await addWebhook(on, a);
  await addWebhook(on, b);
  const seen: string[] = [];
  let release = (): void => undefined;
  const hangs = new Promise<void>((resolve) => (release = resolve));
  const running = startWebhooks(on, on.log, async ({ url, id }) => {
    if (url === a) await hangs;
    seen.push(`${url} ${id}`);
    return accepted;
  });
  t.teardown(() => running.stop());
  for (const each of [1, 2, 3, 4, 5]) await importOne(on, each);
  await until('the other is told all', () => seen.length === 5);
  t.ok(seen.every((each) => each.startsWith(b)));
  release();
  await until('then it too', () => seen.length === 10);
});

tap.test('a webhook that is far behind is told everything, without all of it in memory', async (t) => {
  const on = await company(t);
  await addWebhook(on, a);
  const operations: string[] = [];
  const count = 1_280;
  const engine = on.engine();
  operations.push(await importOne(on, 1, engine));
  while (operations.length < count) operations.push(...(await importMany(engine, 32)));
  const seen: unknown[] = [];
  const running = startWebhooks(on, on.log, async (message) => {
    seen.push(received(message).data['operationId']);
    return accepted;
  });
  t.teardown(() => running.stop());
  await until('all are told', () => seen.length >= operations.length);
  t.same(seen, operations, 'in order, each once');
  t.ok((await names(on.log, 'webhooks-7')).length < 60, 'a claim and a record for a hundred');
});

type Step = 'import' | 'kill' | 'stop' | 'hour';

class Workers {
  readonly accepted = new Map<string, unknown[]>();
  readonly operations: string[] = [];
  readonly #on: Company;
  readonly #dice: Iterator<number>;
  #workers: { readonly failing: FailingLog; readonly run: RunningWebhooks }[] = [];

  constructor(on: Company, dice: Iterator<number>) {
    this.#on = on;
    this.#dice = dice;
    this.#workers = [this.#begin(), this.#begin()];
  }

  async step(step: Step): Promise<void> {
    if (step === 'hour') this.#on.clock.at += 3_600_000;
    else if (step === 'import') {
      this.operations.push(await importOne(this.#on, (this.operations.length % 2) + 1));
    } else await this.#replace(step);
  }

  get isDone(): boolean {
    return [a, b].every((url) => this.operations.every((id) => this.accepted.get(url)?.includes(id)));
  }

  async stop(): Promise<void> {
    for (const { run } of this.#workers) await run.stop();
  }

  async #replace(how: 'kill' | 'stop'): Promise<void> {
    const [first, ...others] = this.#workers;
    if (how === 'kill') first?.failing.crashAt({ at: 'before', append: 0 });
    await first?.run.stop();
    this.#workers = [...others, this.#begin()];
  }

  #begin() {
    const failing = new FailingLog(this.#on.log);
    const run = startWebhooks(this.#on, failing.log, async (message) => {
      if (this.#dice.next().value < 2) return refused;
      const list = this.accepted.get(message.url) ?? [];
      this.accepted.set(message.url, [...list, received(message).data['operationId']]);
      return accepted;
    });
    return { failing, run };
  }
}

const inOrder = (list: readonly unknown[]): string =>
  list.filter((id, index) => list.indexOf(id) === index).join();

async function history(steps: readonly Step[], dice: Iterator<number>): Promise<void> {
  await scoped(async (scope) => {
    const on = await company(scope);
    await addWebhook(on, a);
    await addWebhook(on, b);
    const workers = new Workers(on, dice);
    for (const step of steps) await workers.step(step);
    await until('all is accepted', () => {
      on.clock.at += 61_000;
      return workers.isDone;
    });
    await workers.stop();
    for (const list of workers.accepted.values())
      if (inOrder(list) !== workers.operations.join()) throw new Error(`${inOrder(list)} is another order`);
  });
}

tap.test('nothing is lost and the order is kept, whatever workers die of', { timeout: 300_000 }, async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('import' as const) },
    { weight: 3, arbitrary: fc.constantFrom('kill' as const, 'stop' as const, 'hour' as const) },
  );
  const steps = fc.array(step, { maxLength: 25 });
  await fc.assert(fc.asyncProperty(steps, fc.infiniteStream(fc.nat(9)), history), { numRuns: 15 });
});
