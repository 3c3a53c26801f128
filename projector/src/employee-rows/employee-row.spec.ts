import assert from 'node:assert/strict';
import { companies, decideEmployeeSet } from '@rollcall/domain';
import { Digester } from '@rollcall/employee-lists';
import { readEmployeeList } from '@rollcall/employee-lists/testing';
import {
  emptySet,
  type EntryRows,
  readEntryRows,
  readSetElement,
  SetEventParser,
} from '@rollcall/employee-lists/set';
import fc from 'fast-check';
import tap from 'tap';
import { recordDate, recordText, withKeptDate } from '@rollcall/application/read';
import { parsedRow, rowRecord } from './employee-row.js';

const runs = Math.max(50, Math.ceil(2_000 * Number(process.env['TEST_SCALE'] ?? '0.1')));

const text = fc.oneof(
  fc.constantFrom(
    'Ada',
    'Æsir',
    '美咲',
    '😀',
    'say "x"',
    'a\\b',
    'tab\tbed',
    '\u0001',
    '\u007f\u2028',
    '\b\f\n\r',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((each) => each.trim() !== ''),
);
const optional = fc.option(text, { nil: undefined });
/** fast-check invents `__proto__` now and then, which a list may not hold. */
const names = fc
  .oneof(text, fc.constantFrom('Location', '10', '9', '\uffee', '😀', 'Rolle'))
  .filter((name) => name !== '__proto__');
const employees = fc.array(
  fc.record({
    Firstname: text,
    Lastname: text,
    EmploymentStatus: fc.constantFrom(0, 1),
    Gender: fc.option(fc.constantFrom(0, 1, 9), { nil: undefined }),
    Birthday: fc.option(fc.constantFrom('1990-05-17', '1990-05-17T00:00:00.50Z'), { nil: undefined }),
    JobTitle: optional,
    Department: optional,
    Role: optional,
    ImmediateManager: optional,
    Phonenumber: fc.option(fc.constant('+4512345'), { nil: undefined }),
    InvitationDate: fc.option(fc.constant('2026-12-01T07:00:00Z'), { nil: undefined }),
    Dimensions: fc.option(fc.dictionary(names, text, { maxKeys: 5 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Entries are cut off everywhere. */
const pieceOfEvent = 1_000;

const digester = new Digester(Buffer.alloc(32, 7));
const settings = { ...companies.defaultSettings(7), integrationEnabled: true };

/** The event by which these come, one after the other numbered from 1. */
function eventOf(body: Buffer): Buffer {
  const decision = decideEmployeeSet(
    {
      companyId: 7,
      operationId: '019aa2f0-5c00-7000-8000-000000000001',
      bodySha256: 'a'.repeat(64),
      receivedAt: 0,
      digester,
      reading: readEmployeeList(body, digester),
    },
    { settings: { status: 'configured', companyId: 7, settings }, employees: emptySet(), lastBody: null },
  );
  assert.ok(decision.kind === 'replaced', JSON.stringify(decision));
  return Buffer.concat(Array.from(decision.source.chunks(), (chunk) => Buffer.from(chunk)));
}

/** Whoever comes second is not invited. */
const withoutSecondDue = (event: Buffer): Buffer =>
  Buffer.from(event.toString().replace(/("number":2,.{90}"invitationDue":)"[^"]*"/, '$1null'));

/** The same employees, as if they had been there before. */
function asChanged(event: Buffer): Buffer {
  const [summary = '', entries = ''] = event.toString().split(',"added":[');
  const changed = entries
    .replace('],"changed":[],"left":[],"restored":[]}', '')
    .replaceAll(
      /,"idDigest":"[0-9a-f]{32}"|,"invitationDue":(?:null|"[^"]*")|,"InvitationDate":"[^"]*"/g,
      '',
    );
  return Buffer.from(`${summary},"added":[],"changed":[${changed}],"left":[],"restored":[]}`);
}

/** The rows of an event: what can be is copied, or all of them are parsed. */
function rowsOf(
  event: Buffer,
  mayCopy: boolean,
): { readonly rows: readonly unknown[]; readonly copied: number } {
  const rows: unknown[] = [];
  let copied = 0;
  const take = ({ numbers, ends, text, dues }: EntryRows, digests: readonly string[]): void => {
    for (let at = 0; at < ends.length; at += 1) {
      const row = Buffer.from(text.subarray(ends[at - 1] ?? 0, ends[at])).toString();
      rows.push([numbers[at], row, dues[at], digests[at]]);
    }
  };
  const parser = new SetEventParser(
    (kind, bytes, start, end) => {
      assert.ok(kind !== 'left');
      const element = readSetElement(kind, bytes, start);
      assert.ok(element.kind === 'added' || element.kind === 'changed');
      const { number, digest } = element;
      const ids = element.kind === 'added' ? element.idDigest : [];
      take(parsedRow({ kind, bytes, start, end }), [`${number} ${ids.join()} ${digest.join()}`]);
    },
    (kind, bytes, start) => {
      if (!mayCopy || kind === 'left' || kind === 'restored') return start;
      return readEntryRows({ bytes, start }, kind, (some, { numbers, idDigests, digests }) => {
        copied += some.ends.length;
        const four = (words: Uint32Array, at: number): string => words.subarray(at * 4, at * 4 + 4).join();
        const texts = Array.from(
          numbers,
          (number, at) => `${number} ${kind === 'added' ? four(idDigests, at) : ''} ${four(digests, at)}`,
        );
        take(some, texts);
      });
    },
  );
  for (let at = 0; at < event.length; at += pieceOfEvent) parser.push(event.subarray(at, at + pieceOfEvent));
  parser.finish();
  return { rows, copied };
}

tap.test('property: a row that is copied and one from parsed values are the same, byte for byte', (t) => {
  let copied = 0;
  const property = fc.property(employees, (sent) => {
    const body = sent.map((each, index) => ({
      EmployeeID: `E ${index} "ø"`,
      Email: `e${index}@example.com`,
      ...each,
      ...(each.Phonenumber === undefined ? {} : { Phonenumber: `${each.Phonenumber}${index}` }),
    }));
    const event = eventOf(Buffer.from(JSON.stringify(body)));
    for (const each of [event, withoutSecondDue(event), asChanged(event)]) {
      const some = rowsOf(each, true);
      assert.deepEqual(some.rows, rowsOf(each, false).rows);
      assert.equal(some.rows.length, sent.length);
      copied += some.copied;
    }
  });
  fc.assert(property, { numRuns: runs });
  t.ok(copied > 2 * runs, `${copied} rows were copied`);
  t.end();
});

tap.test('a list is read by all rules behind the rows of an event', (t) => {
  const one = { EmployeeID: 'E1', Firstname: 'Ada', Lastname: 'Byron', EmploymentStatus: 0 };
  const listOf = (Email: string): Buffer => Buffer.from(JSON.stringify([{ ...one, Email }]));
  t.equal(rowsOf(eventOf(listOf('ada@example.com')), true).copied, 1);
  t.throws(() => eventOf(listOf('example.com')));
  t.end();
});

tap.test('the date of a stored row goes over to the new one', (t) => {
  const values = {
    EmployeeID: 'E1',
    Firstname: 'Ada',
    Lastname: 'Byron',
    Email: 'a@example.com',
    EmploymentStatus: 0,
  };
  const record = (Firstname: string, InvitationDate?: string): Buffer =>
    rowRecord(1, { ...values, Firstname, ...(InvitationDate !== undefined && { InvitationDate }) });
  for (const date of [undefined, '2026-12-01T07:00:00Z'])
    t.same(Buffer.from(withKeptDate(record('Bo'), record('Ada', date))), record('Bo', date));
  t.same(withKeptDate(record('Bo'), undefined), record('Bo'));
  t.equal(recordDate(record('Bo', '2026-12-01T07:00:00.5Z')), '2026-12-01T07:00:00.5Z');
  t.equal(recordDate(record('Bo')), undefined);
  t.match(JSON.parse(Buffer.from(recordText(record('Bo', '2026-12-01T07:00:00Z'))).toString()), {
    Id: 1,
    Firstname: 'Bo',
  });
  t.end();
});
