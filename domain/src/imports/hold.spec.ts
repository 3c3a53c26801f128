import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { acceptImport } from './accept.js';
import { afterConfigured, approvedOutcome, type CompanyState, isHeld, pendingOf } from './company-state.js';
import { approveImport, holdEnds, rejectImport } from './manage.js';
import { company, given, held, operationId, sha256, type GivenEvent } from './imports.testing.js';

const queued = { what: 'queued', import: 1, key: 'k' } as const;
const shown = { what: 'held', import: 1, at: '2026-11-21T09:00:00.000Z' } as const;
const one = { operationId: operationId(1), kind: 'employees' } as const;

const approve = (state: CompanyState, outcome?: string) =>
  approveImport({ operationId: operationId(1), outcome }, state);
const reject = (state: CompanyState) => rejectImport({ operationId: operationId(1) }, state);
const refused = (reason: string) => ({ kind: 'refused', rejection: { reason } });

const after = (...history: readonly GivenEvent[]): CompanyState => given(company(), ...history);
const holdOf = (state: CompanyState) => pendingOf(state, operationId(1))?.hold;

tap.test('happened', async (t) => {
  const approval = { name: 'ImportApproved', data: { ...one, outcome: '0-0-2-ab' } };
  t.same(approve(after(queued, shown)), { kind: 'events', events: [approval] }, 'the newest outcome');
  t.same(approve(after(queued, shown), '0-0-2-ab'), { kind: 'events', events: [approval] }, 'that was shown');
  t.same(reject(after(queued, shown)), { kind: 'events', events: [{ name: 'ImportRejected', data: one }] });
  const again = after(queued, shown, { what: 'approved', import: 1 }, { ...shown, outcome: '0-0-1-cd' });
  t.match(
    approve(again),
    { events: exactly([{ data: { outcome: '0-0-1-cd' } }]) },
    'held anew, it is approved anew',
  );
});

tap.test('refused', async (t) => {
  const ends = ['approved', 'rejected', 'cancelled', 'replaced', 'failed'] as const;
  for (const [what, state] of [
    ['never queued', company()],
    ['not held', after(queued)],
    ...ends.map((end) => [end, after(queued, shown, { what: end, import: 1 })] as const),
  ] as const) {
    t.same(approve(state), refused('not-held'), what);
    t.same(reject(state), refused('not-held'), what);
  }
  const again = after(queued, shown, { ...shown, outcome: '0-0-1-cd' });
  t.same(approve(again, '0-0-2-ab'), refused('other-outcome'), 'what was shown is not what is held now');
});

tap.test('what is held', async (t) => {
  const state = after(queued, shown);
  const hold = { held: held(shown), since: shown.at, times: 1, isApproved: false, isOutdated: false };
  t.same(holdOf(state), hold);
  t.ok(state.pending.every(isHeld));
  const two = after(queued, { what: 'queued', import: 2 }, shown);
  t.equal(pendingOf(two, operationId(2))?.hold, null, 'not the one behind it');
  t.equal(new Date(holdEnds(hold)).toISOString(), '2026-11-28T09:00:00.000Z', 'for 7 days');
  const approved = given(state, { what: 'approved', import: 1 });
  t.same(holdOf(approved), { ...hold, isApproved: true });
  t.notOk(approved.pending.some(isHeld));
  const anew = given(approved, { ...shown, at: '2026-11-22T09:00:00.000Z' });
  t.match(holdOf(anew), { times: 2, isApproved: false, since: '2026-11-22T09:00:00.000Z' });
  t.equal(holdOf(given(anew, { what: 'rejected', import: 1 })), undefined);
});

tap.test('an approval stands for what was shown, under the settings of then', async (t) => {
  const outcomeOf = (state: CompanyState) => approvedOutcome(state, operationId(1));
  const shownTo = after(queued, shown);
  t.equal(outcomeOf(shownTo), undefined, 'nobody has approved');
  const approved = given(shownTo, { what: 'approved', import: 1 });
  t.equal(outcomeOf(approved), '0-0-2-ab');
  t.equal(approvedOutcome(approved, operationId(2)), undefined, 'another import');
  t.equal(outcomeOf(afterConfigured(approved, approved.settings)), undefined, 'other settings since');
  t.equal(outcomeOf(given(approved, shown)), undefined, 'held anew');
  t.equal(outcomeOf(after()), undefined);
});

tap.test('the key of a held import answers 202, and is free once it is rejected', async (t) => {
  const idempotency = { keyHash: 'k', bodySha256: sha256(1) };
  const accept = (state: CompanyState, kind: 'employees' | 'managers', hasKey: boolean) => {
    const caller = {
      companyId: 7,
      operationId: operationId(2),
      userId: 9,
      username: 'HR',
      causationId: null,
    };
    const context = { ...caller, receivedAt: '2026-11-21T09:00:00.000Z', ...(hasKey && { idempotency }) };
    const call = { kind, context, prefersAsync: false, ifMatch: null, preview: null };
    return acceptImport({ ...call, body: { length: 2, sha256: sha256(1) }, queueBodyBytes: 100 }, state);
  };
  const state = after(queued, shown);
  t.match(accept(state, 'employees', true), { kind: 'replayed', key: { answer: { status: 202 } } });
  t.match(accept(state, 'managers', false), { atOnceBelow: 0 }, 'managers of another user wait behind it');
  const approved = given(state, { what: 'approved', import: 1 });
  t.match(accept(approved, 'managers', false), { atOnceBelow: 200 }, 'and do not behind an approved one');
  const rejected = given(state, { what: 'rejected', import: 1 });
  t.match(accept(rejected, 'employees', true), { kind: 'accepted-if-valid' });
});
