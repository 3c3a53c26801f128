import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { CliIo } from '@rollcall/cli';
import tap from 'tap';
import { people, queue } from '../application/imports.support.js';
import { progressed, started } from '../projector/import-events.support.js';
import { append } from '../projector/projector.support.js';
import { newId, ReadModelsUnavailable, systemClock, type ReadModelReader } from '@rollcall/application';
import { installation, type Installation } from './imports.support.js';
import { objectOf, rollcallWithin, type Ran } from './rollcall.js';
import { exactly } from '../support/exactly.js';

/** Watches; between two looks the next of these things happens. */
function watch(
  on: Installation,
  words: string,
  meanwhile: (() => Promise<unknown>)[],
  more: Partial<CliIo> = {},
): Promise<Ran> {
  const sleep = async (ms: number): Promise<void> => {
    if (ms !== 500) throw new Error(`a pause of ${ms} ms`);
    const next = meanwhile.shift();
    if (next === undefined) throw new Error('nothing happens any more');
    await next();
  };
  return rollcallWithin(on.dataDir, {}, { sleep, ...more })(`imports watch ${words}`);
}

/** What a worker tells of an attempt. */
async function tell(on: Installation, operationId: string, percent?: number): Promise<void> {
  const event = percent === undefined ? started(operationId) : progressed(operationId, percent);
  await append({ log: on.adapters.log, clock: systemClock }, `operation-${operationId}`, event, {
    operationId,
  });
  await on.project();
}

tap.test('an import is watched to its end, a line for each change', async (t) => {
  const on = await installation(t);
  const first = await on.queue(people(1));
  const operation = await on.queue(people(1, 2));
  const nothing = () => Promise.resolve();
  const ran = await watch(on, `--operation ${operation}`, [
    nothing,
    () => tell(on, operation),
    nothing,
    () => tell(on, operation, 40),
    () => on.run(),
  ]);
  t.same(ran, {
    code: 0,
    err: '',
    out: [
      `${operation} 202 Accepted 1 before it`,
      `${operation} 202 Processing... Attempt 1: started`,
      `${operation} 202 Processing... Attempt 1: reading, 40 %`,
      `Import ${operation} of company 7: 200 OK, 1 inserted, 0 updated, 0 removed`,
      '',
    ].join('\n'),
  });
  const again = await watch(on, `--operation ${first} --json`, []);
  t.match(again, { code: 0, err: '' }, 'one that has ended is no surprise');
  t.match(objectOf(again), { ApiOperationId: first, companyId: 7, status: 'done', Inserted: 1 });
});

tap.test('an import that does not end well: exit code 1, and why', async (t) => {
  const on = await installation(t);
  const operation = await on.queue(people(1));
  const cancel = async (): Promise<void> => {
    await on.rollcall(['imports', 'cancel', '--operation', operation, '--reason', 'the wrong file']);
    await on.project();
  };
  const end = `Import ${operation} of company 7: 409 Conflict, Cancelled: the wrong file\n`;
  t.same(await watch(on, `--operation ${operation}`, [cancel]), {
    code: 1,
    out: `${operation} 202 Accepted 0 before it\n${end}`,
    err: end,
  });
  const json = await watch(on, `--operation ${operation} --json`, []);
  t.match(json, { code: 1, err: end });
  t.match(objectOf(json), { status: 'cancelled', HttpStatusCode: 409 });
});

tap.test('an import that is held says how to decide on it, and one that is not projected that', async (t) => {
  const on = await installation(t);
  await on.rollcall('company configure --company 7 --batch-limit 25 --batch-limit-from 0 --over-limit hold');
  const operation = newId();
  const context = { operationId: operation };
  await queue(on.engine, 'employees', people(1), { method: 'PUT /v1.0/Company/7/Employee', context });
  t.match(await watch(on, '--company 7', []), {
    code: 1,
    out: '',
    err: /behind the log[^]*not projected yet/,
  });
  t.match(await on.rollcall(`imports undo --operation ${newId()} --reason trial`), {
    code: 1,
    err: /There is no import .* in the read models yet, and they are behind the log/,
  });
  const reject = async (): Promise<void> => {
    await on.rollcall(`imports reject --operation ${operation} --reason trial`);
    await on.project();
  };
  const ran = await watch(on, `--operation ${operation}`, [() => on.run(), () => on.project(), reject]);
  t.match(
    ran.out.split('\n'),
    exactly([
      `${operation} is not projected yet`,
      `${operation} 202 Held: awaiting approval 0 before it`,
      /: 409 Conflict, Rejected: trial/,
      '',
    ]),
  );
  const decide = `Decide on it with \`rollcall imports approve --operation ${operation} --reason WHY\``;
  t.equal(ran.err.split(decide).length, 2, 'once');
});

tap.test('all that a company has pending is watched, in its order', async (t) => {
  const on = await installation(t);
  t.same(await watch(on, '--company 7', []), {
    code: 0,
    err: '',
    out: 'No import of company 7 is pending.\n',
  });
  t.same(objectOf(await watch(on, '--company 7 --json', [])), { imports: [] });
  const operations = [await on.queue(people(1)), await on.queue(people(1, 2)), await on.queue(people(3))];
  const ran = await watch(on, '--company 7', [() => on.run()]);
  t.match(ran, { code: 0, err: '' });
  const ends = ran.out.split('\n').filter((line) => line.startsWith('Import '));
  t.same(
    ends.map((line) => line.split(' ')[1]),
    operations,
  );
  const later = await on.queue(people(4));
  t.match(objectOf(await watch(on, '--company 7 --json', [() => on.run()])), {
    imports: exactly([{ ApiOperationId: later, status: 'done' }]),
  });
});

tap.test('read models that are away for a moment end no watch', async (t) => {
  const on = await installation(t);
  await on.queue(people(1));
  const views = Object.getPrototypeOf(on.adapters.readModels) as ReadModelReader;
  const getMany = on.adapters.readModels.getMany.bind(on.adapters.readModels);
  const value = (...given: Parameters<typeof getMany>): Promise<unknown> => {
    if (given[0] === 'pending-imports') return getMany(...given);
    away.restore();
    return Promise.reject(new ReadModelsUnavailable('away'));
  };
  const away = t.intercept(views, 'getMany', { value, configurable: true });
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
    if (ms === 500) await on.run();
  };
  t.match(await watch(on, '--company 7', [], { sleep }), {
    code: 0,
    err: 'away. Trying again.\n',
    out: /200 OK/,
  });
  t.match(pauses, { length: 2, 1: 500 }, 'one for the outage');
});

const states = { 160: 'Processing\\.\\.\\. Attempt 1: reading, 40 %', 80: 'Processing\\.\\.\\. At' };
for (const [columns, state] of Object.entries(states))
  tap.test(`a progress bar on a terminal of ${columns} columns`, async (t) => {
    const on = await installation(t);
    const operation = await on.queue(people(1));
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: Number(columns) });
    let drawn = '';
    terminal.setEncoding('utf8').on('data', (text: string) => (drawn += text));
    const screen = terminal as unknown as NodeJS.WriteStream;
    // The library draws in its own time.
    const drawing = async (): Promise<void> => {
      while (!drawn.includes('40 %')) await once(terminal, 'data');
    };
    const ran = await watch(
      on,
      `--operation ${operation}`,
      [() => tell(on, operation, 40), drawing, () => on.run()],
      { screen },
    );
    const end = `Import ${operation} of company 7: 200 OK, 1 inserted, 0 updated, 0 removed\n`;
    t.same(ran, { code: 0, err: '', out: end }, 'the bar is not among the output');
    t.match(drawn, new RegExp(`40 % \\| 202 ${state} ${operation}`));
    t.notMatch(drawn, /\n/);
  });
