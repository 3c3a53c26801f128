import tap from 'tap';
import { initialCompanyState } from '../imports/company-state.js';
import { decideEmployeeSet } from './decide.js';
import { configured, counts, given, when } from './employees.testing.js';
import { digester, type Sent } from '@rollcall/employee-lists/testing';

const ada: Sent = {
  EmployeeID: 'A-1',
  Firstname: 'Ada',
  Lastname: 'Example',
  Email: 'ada@example.com',
  EmploymentStatus: 0,
};
const bo: Sent = {
  EmployeeID: 'A-2',
  Firstname: 'Bo',
  Lastname: 'Example',
  Email: 'bo@example.com',
  EmploymentStatus: 1,
};

tap.test('a list replaces the set: who is new, changed and gone', (t) => {
  const state = given(configured(), [ada, bo]);
  t.same(counts(when(configured(), JSON.stringify([ada, bo]))), [2, 0, 0]);
  t.same(counts(when(state, JSON.stringify([bo, ada]))), [0, 0, 0], 'another order changes nothing');
  t.same(counts(when(state, JSON.stringify([ada]))), [0, 0, 1]);
  t.same(counts(when(state, JSON.stringify([{ ...ada, JobTitle: 'Engineer' }, bo]))), [0, 1, 0]);
  t.same(counts(when(state, '[]')), [0, 0, 2], 'an empty array removes everybody');
  t.same(
    counts(when(given(configured(), [ada], []), JSON.stringify([ada]))),
    [1, 0, 0],
    'who comes back is new',
  );
  t.equal(given(configured(), [ada], [], [ada]).employees.lastNumber, 2, 'and gets a new number');
  t.end();
});

tap.test('what makes no difference', (t) => {
  const sent = {
    ...ada,
    Birthday: '1990-05-17T00:00:00.000Z',
    Dimensions: { B: '2', A: '1' },
    JobTitle: null,
  };
  const state = given(configured(), [sent]);
  const same = [
    { ...sent, Birthday: '1990-05-17T00:00:00Z' },
    { ...sent, Dimensions: { A: '1', B: '2', C: null } },
    { ...sent, Valid: true, EditingLang: 1045 },
    { ...sent, InvitationDate: '2030-01-01T00:00:00Z' },
    Object.fromEntries(Object.entries(sent).reverse()),
  ];
  for (const body of same)
    t.same(counts(when(state, JSON.stringify([body]))), [0, 0, 0], JSON.stringify(body));
  const other = [
    { ...sent, Firstname: 'ada' },
    { ...sent, Dimensions: { A: '1' } },
    { ...sent, JobTitle: '' },
    { ...sent, Firstname: 'Ada ' },
  ];
  for (const body of other)
    t.same(counts(when(state, JSON.stringify([body]))), [0, 1, 0], JSON.stringify(body));
  t.end();
});

tap.test(
  'dimensions that repeat a field come back from GET and change nothing; different ones are refused',
  (t) => {
    const sent = { ...ada, Department: 'Research', Dimensions: { Location: 'Aarhus' } };
    const state = given(configured(), [sent]);
    const returned = { ...sent, Id: 1, Dimensions: { Location: 'Aarhus', Department: 'Research' } };
    t.same(counts(when(state, JSON.stringify([returned]))), [0, 0, 0]);
    for (const Dimensions of [{ Department: 'Sales' }, { Role: 'Boss' }]) {
      const [message] = counts(when(state, JSON.stringify([{ ...sent, Dimensions }]))) as string[];
      t.match(message, /^\[0\] EmployeeID 'A-1': Dimensions\.\w+ must equal \w+, or be left out$/);
    }
    t.end();
  },
);

tap.test('every wrong field has its message, and no value is repeated', (t) => {
  const long = (length: number): string => '😀'.repeat(length);
  const cases: [object, string[]][] = [
    [
      {},
      [
        'EmployeeID is required',
        'Firstname is required',
        'Lastname is required',
        'Email is required',
        'EmploymentStatus is required',
      ],
    ],
    [{ ...ada, EmployeeID: 17 }, ['EmployeeID must be a string']],
    [{ ...ada, EmployeeID: long(51) }, ['EmployeeID must be at most 50 characters']],
    [{ ...ada, Firstname: ' \t' }, ['Firstname must not be blank']],
    [{ ...ada, Lastname: long(151) }, ['Lastname must be at most 150 characters']],
    [{ ...ada, Phonenumber: '12345678' }, ['Phonenumber must match ^\\+[0-9]{6,20}$']],
    [{ ...ada, Phonenumber: '+12345' }, ['Phonenumber must match ^\\+[0-9]{6,20}$']],
    [{ ...ada, Email: 'ada@example' }, ['Email must be a valid e-mail address of at most 254 characters']],
    [{ ...ada, Gender: 2 }, ['Gender must be 0, 1 or 9, as a number']],
    [{ ...ada, Gender: '1' }, ['Gender must be 0, 1 or 9, as a number']],
    [{ ...ada, EmploymentStatus: null }, ['EmploymentStatus is required']],
    [{ ...ada, EmploymentStatus: 9 }, ['EmploymentStatus must be 0 or 1, as a number']],
    [
      { ...ada, Birthday: '2020-02-30' },
      ['Birthday must be a date that exists, yyyy-MM-ddTHH:mm:ssZ or yyyy-MM-dd'],
    ],
    [
      { ...ada, InvitationDate: '2026-12-01T07:30:00+01:00' },
      ['InvitationDate must be in UTC, ending in Z: yyyy-MM-ddTHH:mm:ssZ'],
    ],
    [{ ...ada, JobTitle: long(51) }, ['JobTitle must be at most 50 characters']],
    [{ ...ada, Dimensions: { Location: long(51) } }, ['Dimensions.Location must be at most 50 characters']],
    [{ ...ada, Dimensions: { Location: 1 } }, ['Dimensions.Location must be a string']],
    [{ ...ada, Dimensions: ['x'] }, ['Dimensions must be an object of strings']],
  ];
  for (const [element, messages] of cases) {
    const texts = counts(when(configured(), JSON.stringify([element]))) as string[];
    t.same(
      texts.map((text) => text.replace(/^\[0\](?: EmployeeID 'A-1')?: /, '')),
      messages,
      JSON.stringify(element),
    );
  }
  for (const element of [
    { ...ada, Firstname: long(150), JobTitle: long(50) },
    { ...ada, Gender: 9, Phonenumber: '+123456' },
  ]) {
    t.same(counts(when(configured(), JSON.stringify([element]))), [1, 0, 0], 'at the limit');
  }
  t.end();
});

tap.test('repeated unique values name both positions', (t) => {
  const third = { ...bo, EmployeeID: 'A-3', Email: 'ADA@Example.COM', Phonenumber: '+4512345678' };
  const body = [
    { ...ada, Phonenumber: '+4512345678' },
    { ...bo, EmployeeID: 'A-1', Email: 'x@example.com' },
    third,
  ];
  t.same(counts(when(configured(), JSON.stringify(body))), [
    "[1] EmployeeID 'A-1': EmployeeID is the same as that of [0]",
    "[2] EmployeeID 'A-3': Email is the same as that of [0]",
    "[2] EmployeeID 'A-3': Phonenumber is the same as that of [0]",
  ]);
  t.same(
    counts(when(configured(), JSON.stringify([ada, { ...bo, EmployeeID: 'a-1' }]))),
    [2, 0, 0],
    'ids are exact',
  );
  t.same(
    counts(
      when(
        configured(),
        JSON.stringify([
          { ...ada, Email: 'ÆBLE@example.com' },
          { ...bo, Email: 'æble@example.com' },
        ]),
      ),
    ),
    ["[1] EmployeeID 'A-2': Email is the same as that of [0]"],
  );
  const addresses = ['æble@example.com', 'ÆBLE@example.com', 'cy@example.com', 'CY@example.com'];
  const repeated = addresses.map((Email, at) => ({ ...ada, EmployeeID: `B-${at}`, Email }));
  t.same(
    counts(when(configured(), JSON.stringify(repeated))),
    [
      "[1] EmployeeID 'B-1': Email is the same as that of [0]",
      "[3] EmployeeID 'B-3': Email is the same as that of [2]",
    ],
    'one repeat hides no other',
  );
  t.end();
});

tap.test('at most 1,000 messages, then a count', (t) => {
  const texts = counts(
    when(configured(), JSON.stringify(Array.from({ length: 300 }, () => ({})))),
  ) as string[];
  t.equal(texts.length, 1001);
  t.equal(texts.at(-1), '... and 500 more');
  t.end();
});

tap.test('bodies that are no array of objects', (t) => {
  const only = (body: string | Uint8Array): string =>
    (counts(when(configured(), body)) as string[]).join('|');
  t.equal(only(''), 'The body is empty; send a JSON array of employees');
  t.equal(only('{}'), 'The body must be a JSON array of employees');
  t.equal(only('\u{feff}[]'), 'The body is not valid JSON: byte order mark at byte 0');
  t.equal(only('[1]'), '[0]: must be an object');
  t.match(only('[{]'), /^The body is not valid JSON: .* at byte \d+, element \[0\]$/);
  t.match(only('[{"EmployeeID":"A"},]'), /^The body is not valid JSON/);
  t.match(only('[] x'), /^The body is not valid JSON: text behind the end of the array at byte 3/);
  t.match(only(JSON.stringify([ada]).slice(0, -2)), /^The body is not valid JSON/);
  t.equal(only(Buffer.from([0x5b, 0xff, 0x5d])), 'The body is not valid JSON: invalid UTF-8 at byte 1');
  t.match(
    only(`[{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`),
    /^\[0\]: there is more than 64 levels of nesting/,
  );
  t.match(only('[{"__proto__":{"EmployeeID":"A"}}]'), /^\[0\]: there is a forbidden member name/);
  t.match(only('[{"EmployeeID":"A","EmployeeID":"B"}]'), /^\[0\]: there is a member name that stands twice/);
  t.match(only('[{"Firstname":"\\u0000"}]'), /^\[0\]: there is NUL/);
  t.match(only('[{"Firstname":"\\ud800"}]'), /^\[0\]: there is a lone surrogate/);
  t.end();
});

tap.test('integration comes before everything, the batch limit behind everything', (t) => {
  t.same(counts(when(initialCompanyState(), 'x')), ['Company integration is not allowed']);
  t.same(counts(when(configured({ integrationEnabled: false }), 'x')), [
    'Company integration is not allowed',
  ]);
  const many = Array.from({ length: 100 }, (_, i) => ({
    ...ada,
    EmployeeID: `E-${i}`,
    Email: `e${i}@example.com`,
  }));
  const state = given(configured({ batchLimit: 25 }), many);
  const swapped = (count: number): string =>
    JSON.stringify(many.map((each, i) => (i < count ? { ...each, EmployeeID: `F-${i}` } : each)));
  const [message] = counts(when(state, swapped(26))) as string[];
  t.match(message, /of 100 employees present, 26 would be inserted and 26 removed; at most 25 %/);
  t.same(counts(when(state, JSON.stringify(many.slice(25)))), [0, 0, 25], 'exactly the limit passes');
  t.same(counts(when(state, swapped(25))), [25, 0, 25], 'in both ways at once too: they are not added up');
  t.same(
    counts(when(given(configured({ batchLimit: 25 }), many.slice(1)), '[]')),
    [0, 0, 99],
    'small companies are free',
  );
  t.end();
});

tap.test('the last accepted bytes need not be read again', (t) => {
  const state = { ...configured(), lastBody: { sha256: 'b'.repeat(64), digestVersion: 1 } };
  const command = {
    companyId: 7,
    operationId: '019aa2f0-5c00-7000-8000-000000000000',
    bodySha256: 'b'.repeat(64),
    receivedAt: 0,
    digester,
    reading: null,
  };
  t.equal(decideEmployeeSet(command, state).kind, 'confirmed');
  t.throws(
    () => decideEmployeeSet(command, { ...state, lastBody: { sha256: 'b'.repeat(64), digestVersion: 0 } }),
    /was not read/,
  );
  t.end();
});

tap.test('a replacement tells how many of the new employees are invited, and when', (t) => {
  const person = (EmployeeID: string, more: object = {}) => ({
    ...ada,
    EmployeeID,
    Email: `${EmployeeID}@example.com`,
    Phonenumber: undefined,
    ...more,
  });
  const plain = [
    person('a'),
    person('b', { InvitationDate: '2027-01-01T08:00:00Z' }),
    // Neither of these is copied as it lies: a text with an escape, and a fraction of a second.
    person('c', { Lastname: 'O"Hara', InvitationDate: '2028-01-01T08:00:00.500Z' }),
  ];
  const invited = (
    settings: Parameters<typeof configured>[0],
    people: readonly object[],
    before: object[] = [],
  ) => {
    const decision = when(given(configured(settings), before), JSON.stringify(people));
    return decision.kind === 'replaced' ? decision.invited() : decision.kind;
  };
  const later = { firstDueAt: '2027-01-01T08:00:00Z', lastDueAt: '2028-01-01T08:00:01Z' };
  t.same(invited({}, plain), { ...later, count: 3, firstDueAt: '2026-11-20T09:00:00Z' });
  t.same(invited({ autoInvite: false }, plain), { ...later, count: 2 });
  t.same(invited({ autoInvite: false }, plain.slice(0, 1)), { count: 0, firstDueAt: null, lastDueAt: null });
  t.same(
    invited({}, plain, plain.slice(1)),
    { count: 1, firstDueAt: '2026-11-20T09:00:00Z', lastDueAt: '2026-11-20T09:00:00Z' },
    'who is present already is not counted',
  );
  t.end();
});
