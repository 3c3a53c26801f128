import { EventLogUnavailable, LogCorrupt, type ReadOptions, type RecordedEvent } from '@rollcall/application';
import t from 'tap';
import { DamageWatch } from './damage-watch.js';

t.test('an outage ends no problem of a stream: it is reported once, until the stream is whole', async (t) => {
  const damage = { stream: 'company-7', problem: 'company-7: no JSON', kind: 'damage' } as const;
  const closed = { stream: 'company-8', problem: 'no right', kind: 'closed' } as const;
  let state: 'damaged' | 'away' | 'whole' = 'damaged';
  const log = {
    async *findDamage() {
      if (state === 'away') throw new EventLogUnavailable('away');
      if (state === 'damaged') yield* [damage, closed];
    },
    async *readStream() {},
    readLast: () => Promise.resolve(undefined),
  };
  const lines: string[] = [];
  const line =
    (level: string) =>
    ({ problem }: object & { readonly problem?: unknown }): void =>
      void lines.push(`${level} ${String(problem)}`);
  const logger = { info: line('info'), warn: line('warn') };
  const watch = new DamageWatch(log, { every: () => () => undefined, logger });
  t.teardown(() => watch.close());
  const found = ['company-7: no JSON', 'company-8: no right'];
  await watch.look();
  t.strictSame(
    lines.splice(0),
    found.map((problem) => `warn ${problem}`),
  );
  state = 'away';
  await watch.look();
  const [outage = '', ...more] = lines.splice(0);
  t.match(outage, /^warn /);
  t.strictSame(more, []);
  t.strictSame([...watch.streams], [['company-7', 'company-7: no JSON']], 'what was found still blocks');
  state = 'damaged';
  await watch.look();
  t.strictSame(lines.splice(0), [outage.replace('warn', 'info')], 'only the outage is over');
  state = 'whole';
  await watch.look();
  t.strictSame(
    lines,
    found.map((problem) => `info ${problem}`),
  );
});

t.test('a stream that stays damaged is not read from its begin at each look', async (t) => {
  let isDamaged = true;
  const read: number[] = [];
  const log = {
    async *readStream(stream: string, { from = 0 }: ReadOptions = {}) {
      for (let revision = from; revision < 1_000; revision += 1) {
        read.push(revision);
        yield { stream, revision } as RecordedEvent;
      }
      if (isDamaged) throw new LogCorrupt('the event at revision 1000 is missing');
    },
    readLast: () => Promise.resolve(undefined),
  };
  const watch = new DamageWatch(log, { every: () => () => undefined });
  t.teardown(() => watch.close());
  await watch.look();
  watch.suspect('company-7');
  await watch.look();
  await watch.look();
  t.strictSame([...watch.streams.keys()], ['company-7']);
  read.splice(0);
  await watch.look();
  t.strictSame(read, [999], 'from the last event that could be read');
  isDamaged = false;
  await watch.look();
  t.strictSame([...watch.streams], []);
});
