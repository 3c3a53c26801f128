import tap from 'tap';
import { afterHold, pendingOf } from './company-state.js';
import { company, given, operationId, sha256 } from './imports.testing.js';
import { decodeCompanyState, encodeCompanyState } from './snapshot.js';

const at = Date.parse('2026-11-21T08:00:00Z');

tap.test('queued imports stand in the order of acceptance until their terminal event', (t) => {
  const three = given(
    company(),
    { what: 'queued', import: 1 },
    { what: 'queued', import: 2, kind: 'managers', userId: null },
    { what: 'queued', import: 3, key: 'k' },
  );
  t.same(
    three.pending.map(({ operationId: id, kind, revision }) => [id, kind, revision]),
    [
      [operationId(1), 'employees', 1],
      [operationId(2), 'managers', 2],
      [operationId(3), 'employees', 3],
    ],
  );
  t.match(pendingOf(three, operationId(3))?.context, { userId: 3, idempotency: { keyHash: 'k' } });
  t.notOk('chain' in (three.pending[0]?.context ?? {}), 'what only the event has stays with the event');
  const open = (...ended: Parameters<typeof given>[1][]): unknown =>
    given(three, ...ended).pending.map(({ operationId: id }) => Number(id.slice(-2)));
  t.same(open({ what: 'replaced', import: 1 }), [2, 3]);
  t.same(open({ what: 'confirmed', import: 3 }), [1, 2]);
  t.same(open({ what: 'roles imported', import: 2 }), [1, 3]);
  t.same(open({ what: 'roles confirmed', import: 2 }), [1, 3]);
  t.same(open({ what: 'failed', import: 1 }), [2, 3]);
  t.same(open({ what: 'cancelled', import: 2 }), [1, 3]);
  t.same(open({ what: 'replaced', import: 9 }), [1, 2, 3], 'a call that was carried out at once');
  t.end();
});

tap.test('the ETag is the revision of the last event that changed the set', (t) => {
  const start = given(company());
  t.same(start.revisions, { employees: null, managers: null });
  const changed = given(start, { what: 'replaced', import: 1 }, { what: 'roles imported', import: 2 });
  t.same(changed.revisions, { employees: 1, managers: 2 });
  const unchanged = given(
    changed,
    { what: 'confirmed', import: 3 },
    { what: 'roles confirmed', import: 4 },
    { what: 'queued', import: 5 },
    { what: 'failed', import: 5 },
  );
  t.same(unchanged.revisions, { employees: 1, managers: 2 });
  t.end();
});

tap.test('the newest acceptance is that of a queued import, or the end of one that ran at once', (t) => {
  const queued = given(company(), { what: 'queued', import: 1 }, { what: 'queued', import: 2 });
  t.same(queued.accepted, { employees: 2, managers: null });
  const ran = given(
    company(),
    { what: 'queued', import: 1 },
    { what: 'roles confirmed', import: 2 },
    { what: 'replaced', import: 1 },
  );
  t.same(ran.accepted, { employees: 1, managers: 2 }, 'a queued one counts from when it was queued');
  t.same(ran.revisions, { employees: 3, managers: null });
  t.end();
});

tap.test('a key keeps the first answer; a failed or cancelled import frees it', (t) => {
  const key = (state: ReturnType<typeof given>, now = at): unknown => state.keys.get('k', now)?.answer;
  const queued = given(company(), { what: 'queued', import: 1, key: 'k' });
  t.same(key(queued), { status: 202 });
  t.same(key(given(queued, { what: 'replaced', import: 1, key: 'k' })), { status: 202 }, 'and it stays that');
  t.same(key(given(queued, { what: 'failed', import: 1 })), undefined);
  t.same(key(given(queued, { what: 'cancelled', import: 1 })), undefined);
  t.same(key(given(queued, { what: 'failed', import: 2 })), { status: 202 }, 'another import');
  const direct = given(company(), { what: 'replaced', import: 1, key: 'k' });
  t.match(direct.keys.get('k', at), {
    operationId: operationId(1),
    bodySha256: sha256(1),
    at: '2026-11-21T08:00:00.000Z',
    answer: { status: 200, inserted: 3, updated: 2, removed: 1 },
  });
  t.same(key(given(company(), { what: 'roles confirmed', import: 1, key: 'k' })), {
    status: 200,
    inserted: 0,
    updated: 5,
    removed: 4,
  });
  t.end();
});

tap.test('a snapshot holds all of it', (t) => {
  const state = given(
    company({ name: 'Ærø' }),
    { what: 'queued', import: 1, key: 'k' },
    { what: 'queued', import: 2, kind: 'managers', userId: null },
    { what: 'replaced', import: 3, key: 'l' },
    { what: 'roles imported', import: 4 },
    { what: 'cancelled', import: 1 },
  );
  const copy = decodeCompanyState(encodeCompanyState(state));
  t.same(copy?.pending, state.pending);
  t.same(copy?.managers, state.managers);
  t.same(copy?.revisions, state.revisions);
  t.same(copy?.accepted, state.accepted);
  t.same(copy?.keys.entries(), state.keys.entries());
  t.same(copy?.settings, state.settings);
  t.same(copy?.lastBody, state.lastBody);
  t.equal(decodeCompanyState(encodeCompanyState(state).subarray(0, 3)), undefined);
  t.end();
});

tap.test('invitations are held until they are released', (t) => {
  const copyOf = (held: boolean) => decodeCompanyState(encodeCompanyState(afterHold(company(), held)));
  t.equal(company().held, false);
  t.equal(copyOf(true)?.held, true, 'also in a snapshot');
  t.equal(copyOf(false)?.held, false);
  t.equal(afterHold(afterHold(company(), true), false).held, false);
  t.end();
});
