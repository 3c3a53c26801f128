import { Digester } from '@rollcall/employee-lists';
import tap from 'tap';
import { previewDifference, previewExpiry, previewHour, previewIdOf, readPreviewId } from './preview.js';

const digester = new Digester(Buffer.alloc(32, 5));
const now = Date.parse('2026-11-25T08:30:00Z');
const shown = {
  companyId: 7,
  kind: 'employees',
  bodySha256: 'ab'.repeat(32),
  revision: 4,
  outcome: '1-0-0-x',
  hour: previewHour(now),
} as const;
const call = { companyId: 7, kind: 'employees', now } as const;

tap.test('a PreviewId is read back by every process of the installation, for 24 hours', async (t) => {
  const id = previewIdOf(shown, digester);
  t.match(id, /^[\w-]+\.[\w-]{43}$/);
  t.same(readPreviewId(id, call, new Digester(Buffer.alloc(32, 5))), shown);
  const end = previewExpiry(shown.hour);
  t.equal(new Date(end).toISOString(), '2026-11-26T09:00:00.000Z');
  t.same(readPreviewId(id, { ...call, now: end - 1 }, digester), shown);
  t.equal(readPreviewId(id, { ...call, now: end }, digester), 'expired');
  const first = { ...shown, revision: null };
  t.same(readPreviewId(previewIdOf(first, digester), call, digester), first);
});

tap.test('foreign and changed ones', async (t) => {
  const id = previewIdOf(shown, digester);
  t.equal(readPreviewId(id, { ...call, companyId: 8 }, digester), 'foreign');
  t.equal(readPreviewId(id, { ...call, kind: 'managers' }, digester), 'foreign');
  t.equal(readPreviewId(id, call, new Digester(Buffer.alloc(32, 6))), 'unknown');
  for (let at = 0; at < id.length; at += 1) {
    const other = id[at] === 'A' ? 'B' : 'A';
    const changed = `${id.slice(0, at)}${other}${id.slice(at + 1)}`;
    t.equal(readPreviewId(changed, call, digester), 'unknown', `${at}`);
  }
  // The last character of base64url has bits that stand for nothing.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spellings = Array.from(alphabet, (last) =>
    readPreviewId(`${id.slice(0, -1)}${last}`, call, digester),
  );
  t.equal(spellings.filter((read) => read !== 'unknown').length, 1);
  for (const text of ['', '.', 'a.b', `${id}.c`, `${id}=`, `!${id}`, id.slice(0, -1), id.split('.')[0] ?? ''])
    t.equal(readPreviewId(text, call, digester), 'unknown');
});

tap.test('what is otherwise', async (t) => {
  const { bodySha256, revision } = shown;
  t.equal(previewDifference(shown, { bodySha256, revision }), undefined);
  t.equal(previewDifference(shown, { bodySha256: 'cd', revision: 5 }), 'body');
  t.equal(previewDifference(shown, { bodySha256, revision: 5 }), 'revision');
  t.equal(previewDifference(shown, { bodySha256, revision: null }), 'revision');
});
