import type { DocumentKey, FindOptions, RowBatch, StoredDocument, TakeValue } from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { withInvitationDates } from './invitation-dates.js';

const companyId = 7;
const moment = (number: number): string => `2026-11-01T00:00:00.${String(number).padStart(3, '0')}Z`;
const json = (number: number): Buffer =>
  Buffer.from(JSON.stringify({ state: 'sent', firstSentAt: moment(number) }));

/** The documents of these employees; counts what is looked up one by one, and the searches. */
function reader(invited: readonly number[]) {
  const counted = { lookedUp: 0, searches: 0 };
  const documents = invited.map((number) => ({ key: [companyId, number], revision: 0, value: json(number) }));
  return {
    counted,
    getMany: async <T>(_: string, keys: readonly DocumentKey[], take: TakeValue<T>) => {
      counted.lookedUp += keys.length;
      const value = (number: number): Uint8Array | undefined =>
        invited.includes(number) ? json(number) : undefined;
      return keys.map(([, number], place) => take(value(Number(number)), place));
    },
    find: async function* (_: string, { after, limit }: FindOptions): AsyncGenerator<StoredDocument> {
      counted.searches += 1;
      yield* documents.filter(({ key }) => Number(key[1]) > Number(after?.[1])).slice(0, limit);
    },
  };
}

async function* batchesOf(numbers: readonly number[], size: number): AsyncGenerator<RowBatch> {
  for (let from = 0; from < numbers.length; from += size) {
    const some = numbers.slice(from, from + size);
    const numberAt = (at: number): number => some[at] ?? 0;
    yield { length: some.length, numberAt, rowAt: () => Buffer.from('{}'), dateAt: () => undefined };
  }
}

async function found(present: readonly number[], invited: readonly number[], size: number) {
  const readModels = reader(invited);
  const moments: unknown[] = [];
  for await (const { length, endAt } of withInvitationDates(readModels, companyId, batchesOf(present, size)))
    for (let at = 0; at < length; at += 1) {
      const members = Buffer.from(endAt?.(at) ?? '')
        .toString()
        .slice(1);
      const end = JSON.parse(`{${members}`) as object;
      moments.push(Reflect.get(end, 'FirstInvitationDate'));
    }
  return { moments, ...readModels.counted };
}

const numbers = (max: number, maxLength = 40) =>
  fc.uniqueArray(fc.integer({ min: 1, max }), { maxLength }).map((all) => all.sort((a, b) => a - b));

t.test('each employee has the date of the own first invitation, however many have left', async (t) => {
  const world = fc
    .tuple(fc.constantFrom(30, 300), fc.constantFrom(6, 40))
    .chain(([max, invited]) => fc.tuple(numbers(max), numbers(max, invited)));
  await fc.assert(
    fc.asyncProperty(world, fc.integer({ min: 1, max: 9 }), async ([present, invited], size) => {
      const { moments } = await found(present, invited, size);
      const wanted = present.map((number) => (invited.includes(number) ? moment(number) : null));
      t.strictSame(moments, wanted);
    }),
    { numRuns: 1_000 },
  );
});

t.test('few are found, many looked up', async (t) => {
  const present = Array.from({ length: 32 }, (_, at) => at + 1);
  const asked = async (invited: readonly number[]) => {
    const { lookedUp, searches } = await found(present, invited, 8);
    return { lookedUp, searches };
  };
  t.strictSame(await asked([]), { lookedUp: 0, searches: 1 });
  t.strictSame(await asked([32]), { lookedUp: 0, searches: 1 });
  t.strictSame(await asked([1, 9, 17, 25]), { lookedUp: 0, searches: 3 }, 'two at a time');
  t.strictSame(await asked([1, 2, 9]), { lookedUp: 32, searches: 1 }, 'many from the first batch on');
  t.strictSame(
    await asked([9, 10, 11, 12, 13]),
    { lookedUp: 24, searches: 2 },
    'many from the second one on',
  );
});
