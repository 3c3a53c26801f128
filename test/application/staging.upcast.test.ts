import { CHUNK_BYTES, loadEvent } from '@rollcall/application';
import { parseStoredType, storedTypeOf, upcastEventData } from '@rollcall/contracts';
import t from 'tap';
import { scriptedLog } from './decide-and-append.support.js';
import { recordedOf, sized, sourceOf, STREAM, textOf, write } from './staging.support.js';

t.test('the stored type of version 1 is the name', async (t) => {
  t.equal(storedTypeOf('SurveyCreated'), 'SurveyCreated');
  t.strictSame(parseStoredType('SurveyCreated'), { name: 'SurveyCreated', version: 1 });
});

t.test('names that are unknown, and versions that are still to come, are nobody', async (t) => {
  for (const type of [
    '',
    'X',
    'SurveyCreated.v1',
    'SurveyCreated.v2',
    'SurveyCreated.v02',
    '.v2',
    'constructor',
  ]) {
    t.equal(parseStoredType(type), undefined, type);
  }
});

t.test('an older version goes up step by step and is checked at the end', async (t) => {
  const steps = {
    ApiTokenRevoked: {
      [-1]: (data: unknown) => ({ old: data }),
      0: (data: unknown) => ({ jti: JSON.stringify(data) }),
    },
  };
  const stored = { name: 'ApiTokenRevoked', version: -1 } as const;
  t.strictSame(upcastEventData(stored, 5, steps), { ok: true, data: { jti: '{"old":5}' } });
  const wrong = { ApiTokenRevoked: { 0: () => ({ jti: '' }) } };
  t.match(upcastEventData({ ...stored, version: 0 }, 5, wrong), {
    ok: false,
    problem: /^ApiTokenRevoked\/jti /,
  });
  t.match(upcastEventData({ ...stored, version: 0 }, 5), { ok: false, problem: /has no upcast/ });
});

t.test('an employee set of version 1 gets its new list at the end, as it is read', async (t) => {
  for (const bytes of [2_000, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES + 1, 2 * CHUNK_BYTES + 7]) {
    const log = await scriptedLog(t);
    const added = ',"restored":[]';
    const text = sized(bytes + added.length)
      .toString()
      .replace(added, '');
    t.equal(Buffer.byteLength(text), bytes);
    await write(log, sourceOf(Buffer.from(text), 1_000));
    const [stored] = await recordedOf(log, STREAM);
    if (!stored) throw new Error('nothing is stored');
    const event = loadEvent(log, { ...stored, type: 'EmployeeSetReplaced' });
    t.equal((await textOf(event)).toString(), `${text.slice(0, -1)}${added}}`, `${bytes} bytes`);
    t.same((await event.data('EmployeeSetReplaced')).restored, []);
  }
});
