import t from 'tap';
import { SingleFlight } from './single-flight.js';

t.test('with freshMs, one run for all who ask while it runs, and within a second of its start', async (t) => {
  let now = 0;
  let looks = 0;
  const ends: (() => void)[] = [];
  const flight = new SingleFlight(
    () => {
      const number = ++looks;
      return new Promise<number>((resolve) => ends.push(() => resolve(number)));
    },
    { freshMs: 1_000, timer: () => now },
  );
  const look = (): Promise<number> => flight.once();
  const first = [look(), look()];
  now = 1_500;
  first.push(look());
  t.equal(looks, 1, 'never two at a time');
  ends[0]?.();
  t.same(await Promise.all(first), [1, 1, 1]);
  const second = look();
  t.equal(looks, 2);
  ends[1]?.();
  t.equal(await second, 2);
  now = 2_499;
  t.equal(await look(), 2);
  now = 2_500;
  const third = look();
  ends[2]?.();
  t.equal(await third, 3);
});

t.test('with freshMs, a run that fails answers all, and is repeated a second later', async (t) => {
  let now = 0;
  let looks = 0;
  const flight = new SingleFlight(
    () => (++looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks)),
    { freshMs: 1_000, timer: () => now },
  );
  const look = (): Promise<number> => flight.once();
  await t.rejects(look(), /away/);
  await t.rejects(look(), /away/);
  now = 1_000;
  t.equal(await look(), 2);
});
