import type { CallContext, ImportKind } from '@rollcall/contracts';
import tap from 'tap';
import {
  type AcceptImport,
  acceptImport,
  type Acceptance,
  defaultQueueBodyBytes,
  isQueued,
} from './accept.js';
import { type CompanyState, initialCompanyState } from './company-state.js';
import { KeptKeys, maxKeptKeys } from './kept-keys.js';
import { company, given, operationId, sha256, type GivenEvent } from './imports.testing.js';

interface Call {
  readonly kind?: ImportKind;
  readonly elements?: number;
  readonly userId?: number | null;
  readonly prefersAsync?: boolean;
  readonly ifMatch?: readonly number[];
  readonly key?: string;
  readonly body?: number;
  /** Of the body. */
  readonly bytes?: number;
  readonly at?: string;
  readonly preview?: AcceptImport['preview'];
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

const when = (state: CompanyState, call: Call): Acceptance =>
  acceptImport(
    {
      kind: call.kind ?? 'employees',
      context: context(call),
      prefersAsync: call.prefersAsync ?? false,
      body: { length: call.bytes ?? 100, sha256: sha256(call.body ?? 50) },
      queueBodyBytes: defaultQueueBodyBytes,
      ifMatch: call.ifMatch ?? null,
      preview: call.preview ?? null,
    },
    state,
  );

/** What comes of a call whose body is valid. */
function kindOf(state: CompanyState, call: Call): string {
  const acceptance = when(state, call);
  if (acceptance.kind !== 'accepted-if-valid') return acceptance.kind;
  if (!isQueued(acceptance, call.elements ?? 1)) return 'at-once';
  return acceptance.hasQueueRoom ? 'queued' : 'no place';
}

/** From how many elements on a valid body is queued. */
function queuedFrom(state: CompanyState, call: Call): number {
  const acceptance = when(state, call);
  if (acceptance.kind !== 'accepted-if-valid') throw new Error(`the call is ${acceptance.kind}`);
  return acceptance.atOnceBelow;
}

const pending = (kind: ImportKind, userId: number | null = 3): GivenEvent => ({
  what: 'queued',
  import: 1,
  kind,
  userId,
});

tap.test('employees are queued from the threshold on', (t) => {
  t.equal(kindOf(company(), { elements: 999 }), 'at-once');
  t.equal(kindOf(company(), { elements: 1000 }), 'queued');
  t.equal(kindOf(company({ queueThreshold: 3 }), { elements: 2 }), 'at-once');
  t.equal(kindOf(company({ queueThreshold: 3 }), { elements: 3 }), 'queued');
  t.equal(kindOf(company({ queueThreshold: null }), { elements: 1_000_000 }), 'at-once', 'none: never');
  t.end();
});

tap.test('employees are queued from a size of the body on, however few they are', (t) => {
  const state = company({ queueThreshold: null });
  t.equal(kindOf(state, { bytes: defaultQueueBodyBytes - 1 }), 'at-once');
  t.equal(kindOf(state, { bytes: defaultQueueBodyBytes }), 'queued');
  t.equal(kindOf(state, { kind: 'managers', bytes: defaultQueueBodyBytes }), 'at-once');
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
  t.equal(kindOf(state, { kind: 'managers', elements: 200 }), 'queued');
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

tap.test('as many keys of a company are kept as may be', (t) => {
  const at = '2026-11-21T08:00:00.000Z';
  const kept = { operationId: operationId(1), bodySha256: sha256(50), at, answer: { status: 202 as const } };
  const keys = KeptKeys.of(Array.from({ length: maxKeptKeys }, (_, i) => [`key ${i}`, kept] as const));
  const full = { ...company(), keys };
  t.equal(kindOf(full, { key: 'one more' }), 'keys-full');
  t.equal(kindOf(full, { key: 'key 5' }), 'replayed', 'those that are kept give their answer');
  t.equal(kindOf(full, {}), 'at-once', 'without a key');
  const dayLater = '2026-11-22T09:30:00.000Z';
  t.equal(kindOf(full, { key: 'one more', at: dayLater }), 'at-once', 'once their time is over');
  t.end();
});

tap.test('Prefer: respond-async queues any import', (t) => {
  t.equal(kindOf(company(), { prefersAsync: true, elements: 0 }), 'queued');
  t.equal(kindOf(company(), { kind: 'managers', prefersAsync: true }), 'queued');
  t.end();
});

tap.test('whether it is queued is known, but for the size of the body, before the body is checked', (t) => {
  const full = given(company(), pending('employees'));
  t.equal(queuedFrom(full, {}), 0, 'it will not be carried out now');
  t.equal(queuedFrom(company(), { prefersAsync: true }), 0);
  t.equal(queuedFrom(company({ queueThreshold: 3 }), {}), 3);
  t.equal(queuedFrom(company({ queueThreshold: null }), {}), Number.POSITIVE_INFINITY);
  t.equal(queuedFrom(company(), { kind: 'managers' }), 200);
  t.end();
});

tap.test('integration that is not enabled refuses before the body is looked at', (t) => {
  for (const state of [initialCompanyState(), company({ integrationEnabled: false })])
    t.same(when(state, {}), { kind: 'integration-not-allowed' });
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
  t.match(when(state, {}), { ifMatch: null }, 'none was sent');
  t.same(when(state, { ifMatch: [2] }), { kind: 'precondition-failed', current: 1 });
  t.same(when(state, { ifMatch: [] }), { kind: 'precondition-failed', current: 1 });
  t.same(when(state, { kind: 'managers', ifMatch: [1] }), { kind: 'precondition-failed', current: 2 });
  t.same(when(company(), { ifMatch: [0] }), { kind: 'precondition-failed', current: null });
  t.same(
    when(state, { ifMatch: [9, 1], prefersAsync: true }),
    { kind: 'accepted-if-valid', atOnceBelow: 0, hasQueueRoom: true, ifMatch: 1, preview: null },
    'the one that matched is checked again',
  );
  t.equal(kindOf(given(initialCompanyState()), { ifMatch: [1] }), 'precondition-failed', 'and integration');
  t.end();
});

tap.test('a key that is known repeats the first answer, and comes before everything else', (t) => {
  const queued = given(company(), { what: 'queued', import: 50, key: 'k' });
  const answered = when(queued, { key: 'k', ifMatch: [9] });
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

/** A state with so many pending imports, which have so many bytes together. */
function withPending(count: number, bytes: number): CompanyState {
  const state = given(company(), pending('employees'));
  const [one] = state.pending;
  if (!one) throw new Error('none is pending');
  const each = { ...one, payload: { ...one.payload, bytes: bytes / count } };
  return { ...state, pending: Array.from({ length: count }, () => each) };
}

tap.test('a queue that is full takes no more', (t) => {
  t.equal(kindOf(withPending(999, 1_000), {}), 'queued');
  t.equal(kindOf(withPending(1_000, 1_000), {}), 'queue-full', 'before anybody reads the body');
  const gibibyte = 1024 ** 3;
  t.equal(kindOf(withPending(4, gibibyte), { bytes: gibibyte }), 'queued');
  t.equal(kindOf(withPending(4, gibibyte), { bytes: gibibyte + 1 }), 'queue-full');
  const managers = { kind: 'managers', userId: 9 } as const;
  t.equal(kindOf(withPending(1_000, 1_000), { ...managers, elements: 199 }), 'at-once', 'what is not queued');
  t.equal(kindOf(withPending(1_000, 1_000), { ...managers, elements: 200 }), 'no place');
  t.end();
});

tap.test('If-Preview names the body and the revision of the set', (t) => {
  const state = given(company(), { what: 'replaced', import: 1 });
  const shown = { companyId: 7, kind: 'employees', hour: 1, outcome: 'x' } as const;
  const preview = { ...shown, bodySha256: sha256(50), revision: 1 };
  t.match(when(state, { preview }), {
    kind: 'accepted-if-valid',
    preview: { revision: 1, outcome: 'x' },
  });
  t.same(when(state, { preview, body: 51 }), {
    kind: 'precondition-failed',
    current: 1,
    preview: 'body',
  });
  t.same(when(state, { preview: { ...preview, revision: null } }), {
    kind: 'precondition-failed',
    current: 1,
    preview: 'revision',
  });
  for (const problem of ['unknown', 'foreign', 'expired'] as const)
    t.same(when(state, { preview: problem }), { kind: 'preview-unusable', problem });
  t.end();
});
