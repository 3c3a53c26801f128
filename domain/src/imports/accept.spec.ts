import type { CallContext, ImportKind } from '@rollcall/contracts';
import tap from 'tap';
import { acceptImport, type Acceptance, type AcceptImport } from './accept.js';
import { type CompanyState, initialCompanyState } from './company-state.js';
import { company, given, operationId, sha256, type Told } from './imports.testing.js';

interface Call {
  readonly kind?: ImportKind;
  readonly elements?: number;
  readonly userId?: number | null;
  readonly prefersAsync?: boolean;
  readonly ifMatch?: readonly number[];
  readonly key?: string;
  readonly body?: number;
  readonly at?: string;
  /** The body is refused with this. */
  readonly problem?: string;
}

const context = ({ userId = 3, at = '2026-11-21T08:30:00.000Z', key, body = 50 }: Call): CallContext => ({
  companyId: 7,
  operationId: operationId(50),
  userId,
  username: 'HR system',
  causationId: null,
  receivedAt: at,
  ...(key !== undefined && { idempotency: { keyHash: key, bodySha256: sha256(body) } }),
});

/** The acceptance, and what reading was asked for. */
function look(state: CompanyState, call: Call): { acceptance: Acceptance<string>; reads: number[] } {
  const reads: number[] = [];
  const command: AcceptImport<string> = {
    kind: call.kind ?? 'employees',
    context: context(call),
    prefersAsync: call.prefersAsync ?? false,
    ifMatch: call.ifMatch ?? null,
    read: (atOnceBelow) => {
      reads.push(atOnceBelow);
      return call.problem === undefined
        ? { status: 'valid', elements: call.elements ?? 1 }
        : { status: 'invalid', rejection: call.problem };
    },
  };
  return { acceptance: acceptImport(command, state), reads };
}

const when = (state: CompanyState, call: Call): Acceptance<string> => look(state, call).acceptance;
const kindOf = (state: CompanyState, call: Call): string => when(state, call).kind;
const pending = (kind: ImportKind, userId: number | null = 3): Told => ({
  what: 'queued',
  import: 1,
  kind,
  userId,
});

tap.test('employees are queued from the threshold on', (t) => {
  t.equal(kindOf(company(), { elements: 999 }), 'at-once');
  t.same(when(company(), { elements: 1000 }), { kind: 'queued', elements: 1000, ifMatch: null });
  t.equal(kindOf(company({ queueThreshold: 3 }), { elements: 2 }), 'at-once');
  t.equal(kindOf(company({ queueThreshold: 3 }), { elements: 3 }), 'queued');
  t.equal(kindOf(company({ queueThreshold: null }), { elements: 1_000_000 }), 'at-once', 'none: never');
  t.end();
});

tap.test('employees are queued behind any pending import of the company', (t) => {
  t.equal(kindOf(given(company(), pending('employees')), {}), 'queued');
  t.equal(kindOf(given(company(), pending('managers')), {}), 'queued');
  t.equal(kindOf(given(company(), pending('employees', 4)), {}), 'queued', 'whoever sent it');
  const ended = given(company(), pending('employees'), { what: 'failed', import: 1 });
  t.equal(kindOf(ended, {}), 'at-once');
  t.end();
});

tap.test('managers are queued from 200 entries on, whatever the threshold of employees', (t) => {
  const state = company({ queueThreshold: 1 });
  t.equal(kindOf(state, { kind: 'managers', elements: 199 }), 'at-once');
  t.same(when(state, { kind: 'managers', elements: 200 }), { kind: 'queued', elements: 200, ifMatch: null });
  t.end();
});

tap.test('managers are queued behind managers, and behind employees of the same API user', (t) => {
  const managers = (state: CompanyState, userId: number | null = 3): string =>
    kindOf(state, { kind: 'managers', userId });
  t.equal(managers(given(company(), pending('managers', 4))), 'queued', 'of whoever');
  t.equal(managers(given(company(), pending('employees', 3))), 'queued');
  t.equal(managers(given(company(), pending('employees', 4))), 'at-once', 'of another user');
  t.equal(managers(given(company(), pending('employees', null))), 'at-once');
  t.equal(managers(given(company(), pending('employees', null)), null), 'at-once', 'nobody is no user');
  t.end();
});

tap.test('Prefer: respond-async queues any import', (t) => {
  t.same(when(company(), { prefersAsync: true, elements: 0 }), {
    kind: 'queued',
    elements: 0,
    ifMatch: null,
  });
  t.equal(kindOf(company(), { kind: 'managers', prefersAsync: true }), 'queued');
  t.end();
});

tap.test('the whole body is checked before it is queued, and no more than that is asked for', (t) => {
  const full = given(company(), pending('employees'));
  t.same(when(full, { problem: 'wrong' }), { kind: 'refused', rejection: 'wrong' });
  t.same(look(full, {}).reads, [0], 'it will not be carried out now');
  t.same(look(company(), { prefersAsync: true }).reads, [0]);
  t.same(look(company({ queueThreshold: 3 }), {}).reads, [3]);
  t.same(look(company({ queueThreshold: null }), {}).reads, [Number.POSITIVE_INFINITY]);
  t.same(look(company(), { kind: 'managers' }).reads, [200]);
  t.end();
});

tap.test('integration that is not enabled refuses before the body is looked at', (t) => {
  for (const state of [initialCompanyState(), company({ integrationEnabled: false })]) {
    const { acceptance, reads } = look(state, { problem: 'wrong' });
    t.same(acceptance, { kind: 'refused', rejection: { reason: 'integration-not-allowed' } });
    t.same(reads, []);
  }
  t.end();
});

tap.test('If-Match names the revision of the set', (t) => {
  const state = given(
    company(),
    { what: 'replaced', import: 1 },
    { what: 'roles imported', import: 2 },
    { what: 'confirmed', import: 3 },
  );
  t.equal(kindOf(state, { ifMatch: [1] }), 'at-once');
  t.equal(kindOf(state, { ifMatch: [9, 1] }), 'at-once', 'any of several');
  t.same(when(state, { ifMatch: [2] }), { kind: 'precondition-failed', current: 1 });
  t.same(when(state, { ifMatch: [] }), { kind: 'precondition-failed', current: 1 });
  t.same(when(state, { kind: 'managers', ifMatch: [1] }), { kind: 'precondition-failed', current: 2 });
  t.same(when(company(), { ifMatch: [0] }), { kind: 'precondition-failed', current: null });
  t.same(
    when(state, { ifMatch: [9, 1], prefersAsync: true }),
    { kind: 'queued', elements: 1, ifMatch: 1 },
    'the one that matched is checked again',
  );
  t.same(look(state, { ifMatch: [2], problem: 'wrong' }).reads, [], 'before the body');
  t.equal(kindOf(given(initialCompanyState()), { ifMatch: [1] }), 'precondition-failed', 'and integration');
  t.end();
});

tap.test('a key that is known repeats the first answer, and comes before everything else', (t) => {
  const queued = given(company(), { what: 'queued', import: 50, key: 'k' });
  const answered = when(queued, { key: 'k', ifMatch: [9], problem: 'wrong' });
  t.match(answered, { kind: 'replayed', key: { operationId: operationId(50), answer: { status: 202 } } });
  const since = given(queued, { what: 'replaced', import: 50 }, { what: 'replaced', import: 4 });
  t.match(when(since, { key: 'k' }), answered, 'also after another list');
  const off = { ...queued, settings: company({ integrationEnabled: false }).settings };
  t.equal(kindOf(off, { key: 'k' }), 'replayed');
  const direct = given(company(), { what: 'replaced', import: 50, key: 'k' });
  t.match(when(direct, { key: 'k' }), { kind: 'replayed', key: { answer: { status: 200, inserted: 3 } } });
  t.same(when(direct, { key: 'k', body: 51 }), { kind: 'key-reused' });
  t.equal(kindOf(direct, { key: 'another' }), 'at-once');
  t.equal(kindOf(direct, { key: 'k', at: '2026-11-22T07:59:59.999Z' }), 'replayed');
  t.equal(kindOf(direct, { key: 'k', at: '2026-11-22T08:00:00.000Z' }), 'at-once', 'after 24 hours');
  t.end();
});
