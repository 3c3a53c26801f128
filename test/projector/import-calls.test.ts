import { loadEvent, readPendingImports } from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import { attemptText } from '@rollcall/projector';
import t from 'tap';
import { id, operationId, person, row, write } from './import-calls.support.js';
import {
  approved,
  attemptFailed,
  cancelled,
  failed,
  held,
  interrupted,
  progressed,
  queued,
  rejected,
  rolesConfirmed,
  rolesImported,
  setConfirmed,
  started,
} from './import-events.support.js';
import { append, document, openRig, employeeSet, refused } from './projector.support.js';

const ofTheCall = {
  ApiOperationId: operationId,
  UserId: 3,
  Username: 'HR system',
  CreatedOn: '2026-11-21T08:59:59.500Z',
  Method: 'PUT /v1.0/company/7/employee',
};
const nothing = { Inserted: 0, Updated: 0, Removed: 0, Result: null, ValidationErrors: [], Progress: null };

t.test('why a start is not held against the import is told where its attempts are', async (t) => {
  const on = await openRig(t);
  await write(on, [interrupted(operationId, 2)]);
  const last = await on.log.readLast(`operation-${operationId}`);
  t.equal(last && (await attemptText(loadEvent(on.log, last))), 'Attempt 2: interrupted by an outage');
});

t.test('ApiCalls: the whole life of a queued import', async (t) => {
  const on = await openRig(t);
  await write(on, [queued(operationId)]);
  t.strictSame(await row(on), {
    ...ofTheCall,
    HttpStatusCode: 202,
    HttpStatusReason: 'Accepted',
    CompletedOn: null,
    ...nothing,
  });
  const steps: [DomainEvent, string][] = [
    [started(operationId), 'Attempt 1: started'],
    [progressed(operationId, 40), 'Attempt 1: reading, 40 %'],
    [attemptFailed(operationId), 'Attempt 1 failed: the payload in payload-1 is not what was queued'],
    [started(operationId, 2), 'Attempt 2: started'],
    [interrupted(operationId, 2), 'Attempt 2: started'],
    [progressed(operationId, 100, 2), 'Attempt 2: reading, 100 %'],
  ];
  for (const [event, Progress] of steps) {
    await write(on, [event]);
    t.strictSame(await row(on), {
      ...ofTheCall,
      HttpStatusCode: 202,
      HttpStatusReason: 'Processing...',
      CompletedOn: null,
      ...nothing,
      Progress,
    });
  }
  const change = { added: [{ number: 1, id: 'a' }], total: 1, lastNumber: 1 };
  on.clock.at += 1_000;
  await append(on, 'company-7', employeeSet(change), { operationId });
  const done = {
    ...ofTheCall,
    HttpStatusCode: 200,
    HttpStatusReason: 'OK',
    CompletedOn: '2026-11-21T09:00:08.000Z',
    ...nothing,
    Inserted: 1,
  };
  t.strictSame(await row(on), done);
  await write(on, [progressed(operationId, 100, 2), attemptFailed(operationId, 2), started(operationId, 3)]);
  t.strictSame(await row(on), done, 'what comes late changes nothing');
});

t.test('ApiCalls: the members of a row stand in one order through its life', async (t) => {
  const on = await openRig(t);
  const orders = new Set<string>();
  for (const event of [queued(operationId), started(operationId), failed(operationId)]) {
    await write(on, [event]);
    orders.add(Object.keys((await row(on)) as object).join());
  }
  t.equal(orders.size, 1);
});

t.test('ApiCalls: how an import ends', async (t) => {
  const method = 'PUT /v1.0/User/7/ManagerImport';
  const managers = { kind: 'managers', method } as const;
  const gaveUp = { status: 500, reason: 'gave up after 3 attempts: x', validationErrors: [] };
  const cases: [string, DomainEvent, DomainEvent, object][] = [
    [
      'confirmed',
      queued(operationId),
      setConfirmed(operationId),
      { HttpStatusCode: 200, HttpStatusReason: 'OK' },
    ],
    [
      'roles imported',
      queued(operationId, managers),
      rolesImported(operationId, { created: 2, disabled: 1, locked: 3 }),
      {
        HttpStatusCode: 200,
        HttpStatusReason: 'OK',
        Inserted: 2,
        Updated: 0,
        Removed: 1,
        Result: 'Successfully created 2, disabled 1 roles and locked 3 users.',
        Method: method,
      },
    ],
    [
      'roles confirmed',
      queued(operationId, managers),
      rolesConfirmed(operationId),
      { HttpStatusCode: 200, Result: 'Successfully created 0, disabled 0 roles and locked 0 users.' },
    ],
    [
      'refused by a rule',
      queued(operationId),
      failed(operationId),
      {
        HttpStatusCode: 400,
        HttpStatusReason: 'Bad Request',
        Result: 'The import is refused',
        ValidationErrors: ['Company integration is not allowed'],
      },
    ],
    [
      'If-Match',
      queued(operationId),
      failed(operationId, { status: 412, reason: 'The set is another one', validationErrors: [] }),
      { HttpStatusCode: 412, HttpStatusReason: 'Precondition Failed', Result: 'The set is another one' },
    ],
    [
      'given up',
      queued(operationId),
      failed(operationId, gaveUp),
      {
        HttpStatusCode: 500,
        HttpStatusReason: 'Internal Server Error',
        Result: 'gave up after 3 attempts: x',
        ValidationErrors: [],
      },
    ],
  ];
  for (const [what, first, last, expected] of cases) {
    const on = await openRig(t);
    await write(on, [
      first,
      started(operationId),
      progressed(operationId, 60),
      last,
      progressed(operationId, 80),
    ]);
    const { UserId, Username, CreatedOn } = ofTheCall;
    const CompletedOn = '2026-11-21T09:00:04.000Z';
    t.match(await row(on), { UserId, Username, CreatedOn, CompletedOn, Progress: null, ...expected }, what);
    t.strictSame(await readPendingImports(on.readModels), [], what);
    t.equal(await document(on.readModels, 'pending-imports', [7, operationId]), undefined, what);
  }
});

t.test('ApiCalls: a cancelled import stays the call of who made it', async (t) => {
  for (const [reason, Result] of [
    ['the wrong file', 'Cancelled: the wrong file'],
    [undefined, 'Cancelled'],
  ] as const) {
    const on = await openRig(t);
    await write(on, [queued(operationId), started(operationId)]);
    await write(on, [cancelled(operationId)], { ...person, ...(reason && { reason }) });
    await write(on, [progressed(operationId, 80)]);
    t.strictSame(await row(on), {
      ...ofTheCall,
      HttpStatusCode: 409,
      HttpStatusReason: 'Conflict',
      CompletedOn: '2026-11-21T09:00:03.000Z',
      ...nothing,
      Result,
    });
    t.equal(await row(on, id(9)), undefined, 'the command has no row of its own');
  }
});

t.test('ApiCalls: an import that is held and decided stays the call of who made it', async (t) => {
  for (const [reason, Result] of [
    ['the wrong file', 'Rejected: the wrong file'],
    [undefined, 'Rejected'],
  ] as const) {
    const on = await openRig(t);
    const [open, counts] = [
      { ...ofTheCall, CompletedOn: null, ...nothing },
      { Inserted: 1, Updated: 2, Removed: 13 },
    ];
    await write(on, [queued(operationId), held(operationId)]);
    const HttpStatusReason = 'Held: awaiting approval';
    t.strictSame(await row(on), { ...open, HttpStatusCode: 202, HttpStatusReason, ...counts });
    const pending = async () => (await readPendingImports(on.readModels)).map(({ hold }) => hold);
    const hold = { inserted: 1, updated: 2, removed: 13, present: 20, limit: 10, outcome: 'ef'.repeat(16) };
    const since = '2026-11-21T09:00:02.000Z';
    t.strictSame(await pending(), [{ ...hold, since, isApproved: false }]);
    await write(on, [approved(operationId)], person);
    t.strictSame(await row(on), { ...open, HttpStatusCode: 202, HttpStatusReason: 'Accepted' });
    t.strictSame(await pending(), [{ ...hold, since, isApproved: true }]);
    await write(on, [held(operationId)]);
    t.match(await row(on), { HttpStatusReason, ...counts }, 'its outcome has become another one');
    await write(on, [rejected(operationId)], { ...person, ...(reason && { reason }) });
    t.strictSame(await row(on), {
      ...{ ...ofTheCall, ...nothing, HttpStatusCode: 409, HttpStatusReason: 'Conflict', Result },
      CompletedOn: '2026-11-21T09:00:05.000Z',
    });
    t.equal(await document(on.readModels, 'pending-imports', [7, operationId]), undefined);
    t.equal(await row(on, id(9)), undefined, 'the commands have no rows of their own');
  }
});

t.test('ApiCalls: a retry is a row of its own', async (t) => {
  const on = await openRig(t);
  await write(on, [queued(operationId), failed(operationId)]);
  await write(on, [queued(id(2), { retryOf: operationId })], person);
  t.match(await row(on), { HttpStatusCode: 400, UserId: 3 });
  t.match(await row(on, id(2)), {
    ApiOperationId: id(2),
    HttpStatusCode: 202,
    UserId: null,
    Username: 'cli:ann@host',
    CreatedOn: '2026-11-22T00:00:00.000Z',
    Method: 'PUT /v1.0/company/7/employee',
  });
});

for (const [what, status, HttpStatusReason, ValidationErrors] of [
  ['what is refused at once', 400, 'Bad Request', ['[0] one', '[1] two']],
  ['what nobody foresaw', 500, 'Internal Server Error', ['An unexpected error']],
] as const)
  t.test(`ApiCalls: ${what}`, async (t) => {
    const on = await openRig(t);
    await append(on, `operation-${operationId}`, refused(ValidationErrors, status), { operationId });
    t.match(await row(on), {
      HttpStatusCode: status,
      HttpStatusReason,
      CompletedOn: '2026-11-21T09:00:00.000Z',
      Inserted: 0,
      ValidationErrors,
    });
  });

t.test('an attempt of which no import is known leaves no row', async (t) => {
  const on = await openRig(t);
  await write(on, [started(operationId), progressed(operationId, 50), attemptFailed(operationId)]);
  t.equal(await row(on), undefined);
  await write(on, [queued(operationId)]);
  t.match(await row(on), { HttpStatusReason: 'Processing...', Progress: /failed/ }, 'until it is known');
});
