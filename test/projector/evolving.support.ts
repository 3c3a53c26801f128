import type { DomainEvent } from '@rollcall/contracts';
import fc from 'fast-check';
import type { Rig } from '../support/rig.js';
import { append, configured, employeeSet, refused, survey, type SetChange } from './projector.support.js';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly due: string | undefined;
}

const due = (day: number): string => `2026-12-0${day + 1}T07:00:00Z`;

interface Applied {
  readonly added: readonly { number: number; id: string; due?: string }[];
  readonly changed: readonly number[];
  readonly left: readonly number[];
}

/** What a company's employees come to, and the events by which they did. */
export class Company {
  readonly people = new Map<number, Person>();
  readonly planned = new Map<number, string>();
  readonly events: DomainEvent[] = [];
  #last = 0;

  change(step: Step): void {
    const numbers = [...this.people.keys()];
    const some = (picked: readonly number[]) => [
      ...new Set(picked.flatMap((at) => (numbers.length > 0 ? [numbers[at % numbers.length] ?? 0] : []))),
    ];
    const left = some(step.leave);
    const changed = some(step.rename).filter((number) => !left.includes(number));
    const added = Array.from({ length: step.come }, () => {
      const number = (this.#last += 1);
      // Whoever leaves may come again under the same EmployeeID.
      const again = this.people.get(left[number % Math.max(1, left.length)] ?? 0)?.id;
      const id = again !== undefined && !this.#has(again, left) ? again : `E${(number * 7919) % 10_007}`;
      return { number, id, ...(step.day !== undefined && { due: due(step.day) }) };
    });
    const ids = new Set<string>();
    const unique = added.filter(({ id }) => !ids.has(id) && ids.add(id));
    this.#apply({ added: unique, changed, left });
  }

  #has(id: string, left: readonly number[]): boolean {
    return [...this.people].some(([number, one]) => one.id === id && !left.includes(number));
  }

  #apply({ added, changed, left }: Applied): void {
    for (const number of left) this.people.delete(number);
    const renamed = changed.map((number) => {
      const one = this.people.get(number);
      const next = { id: one?.id ?? '', name: `${one?.name}x`, due: one?.due };
      this.people.set(number, next);
      return { number, ...next };
    });
    for (const { number, id, due: dueAt } of added) {
      this.people.set(number, { id, name: 'Ann', due: dueAt });
      if (dueAt !== undefined) this.planned.set(number, dueAt);
    }
    const change: SetChange = {
      added,
      changed: renamed,
      left,
      total: this.people.size,
      lastNumber: this.#last,
    };
    this.events.push(employeeSet(change));
  }
}

const numbers = fc.array(fc.nat(10_000), { maxLength: 6 });
const step = fc.record({
  come: fc.oneof(fc.nat(5), fc.nat(5), fc.constantFrom(300, 1_500)),
  rename: numbers,
  leave: numbers,
  day: fc.option(fc.nat(3), { nil: undefined }),
});
export const history = fc.array(step, { minLength: 1, maxLength: 5 });
/** Each changes few rows of a block. */
const small = fc.record({ come: fc.nat(2), rename: numbers, leave: numbers, day: fc.constant(undefined) });
export const longHistory = fc.array(small, { minLength: 60, maxLength: 90 });

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

export async function appended(on: Rig, steps: readonly Step[]) {
  const companies = [new Company(), new Company()];
  await append(on, 'company-1', configured(1, 'one'), { companyId: 1 });
  for (const [at, one] of steps.entries()) {
    const company = companies[at % 2] ?? new Company();
    // Replaced sets are kept for ten minutes.
    on.clock.at += 4 * 60_000;
    company.change(one);
    const companyId = (at % 2) + 1;
    const events = company.events.slice(-1);
    if (events.length > 0) await append(on, `company-${companyId}`, events, { companyId });
    await append(on, `survey-${at % 3}`, survey(1 + (at % 3), `${at}`, 1), { companyId: 1 });
    await append(on, `operation-${at}`, refused(), { companyId: 1 });
  }
  return companies;
}
