import { configureCompany } from '@rollcall/application';
import type { DomainEventOf, EmployeeValues } from '@rollcall/contracts';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { append, context, type Rig } from '../projector/projector.support.js';

/** What one import does, by positions in the list of those present. */
export interface ImportPlan {
  readonly added: readonly string[];
  readonly changed: readonly number[];
  readonly left: readonly number[];
  readonly minutes: number;
}

const position = fc.nat({ max: 30 });
const name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.constant('"},{"number":7'),
);

export const histories = fc.array(
  fc.record({
    added: fc.array(name, { maxLength: 4 }),
    changed: fc.array(position, { maxLength: 3 }),
    left: fc.array(position, { maxLength: 3 }),
    minutes: fc.nat({ max: 2 }),
  }),
  { minLength: 1, maxLength: 8 },
);

interface Person {
  readonly digest: string;
  readonly values: EmployeeValues;
}

/** The employees by number. */
export type People = ReadonlyMap<number, Person>;

export interface Past {
  readonly recordedAt: string;
  readonly people: People;
}

export const hash = (value: unknown): string => createHash('md5').update(JSON.stringify(value)).digest('hex');

const valuesOf = (number: number, Firstname: string): EmployeeValues => ({
  EmployeeID: `E"${number}`,
  Firstname,
  Lastname: 'Doe',
  Email: `e${number}@example.com`,
  EmploymentStatus: 1,
});

const personOf = (number: number, name: string): Person => {
  const values = valuesOf(number, name);
  return { digest: hash(values), values };
};

type Replaced = DomainEventOf<'EmployeeSetReplaced'>;

class Model {
  people = new Map<number, Person>();
  lastNumber = 0;

  apply(plan: ImportPlan): Replaced {
    const numbers = [...this.people.keys()];
    const pick = (positions: readonly number[]): number[] =>
      [...new Set(positions.flatMap((at) => numbers[at] ?? []))].sort((one, other) => one - other);
    const left = pick(plan.left);
    const changed = pick(plan.changed).filter((number) => !left.includes(number));
    const people = new Map(this.people);
    for (const number of left) people.delete(number);
    for (const number of changed) people.set(number, personOf(number, `${plan.minutes}-${people.size}`));
    const added = plan.added.map((text) => [++this.lastNumber, text] as const);
    for (const [number, text] of added) people.set(number, personOf(number, text));
    this.people = people;
    const entry = (number: number) => ({ number, ...(people.get(number) ?? personOf(number, '')) });
    const operationId = context().operationId;
    const counts = { inserted: added.length, updated: changed.length, removed: left.length };
    const summary = { operationId, bodySha256: 'ab'.repeat(32), digestVersion: 1, ...counts };
    const set = { total: people.size, lastNumber: this.lastNumber, setDigest: '0'.repeat(32) };
    return {
      name: 'EmployeeSetReplaced',
      data: {
        ...summary,
        ...set,
        added: added.map(([number]) => {
          const { digest, values } = entry(number);
          return { number, idDigest: hash(number), digest, invitationDue: null, values };
        }),
        changed: changed.map(entry),
        left: left.map((number) => ({ number })),
        restored: [],
      },
    };
  }
}

/** Configures company 7 and appends the imports; what the company's employees were after each revision. */
export async function appendHistory(
  rig: Pick<Rig, 'log' | 'clock'>,
  plans: readonly ImportPlan[],
): Promise<Past[]> {
  const past: Past[] = [];
  const note = (people: People): void => {
    past.push({ recordedAt: new Date(rig.clock.at).toISOString(), people });
  };
  await configureCompany(rig, context(), { companyId: 7, changes: { name: 'Seven' } });
  note(new Map());
  const model = new Model();
  for (const plan of plans) {
    rig.clock.at += plan.minutes * 60_000;
    await append(rig, 'company-7', model.apply(plan));
    note(model.people);
  }
  return past;
}
