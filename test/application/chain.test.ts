import {
  CHAIN_START,
  chainOf,
  LogCorrupt,
  storedChain,
  verifyChain,
  withChain,
  type ChainLink,
  type RecordedEvent,
} from '@rollcall/application';
import { createHash } from 'node:crypto';
import t from 'tap';

const link = {
  stream: 'company-7',
  revision: 258,
  id: '0190b5a0-7c3a-5d11-9f00-0123456789ab',
  type: 'EmployeeSetConfirmed',
  data: Buffer.from('{"total":3,"name":"née 🙂"}'),
  metadata: '{"companyId":7,"username":"HR","recordedAt":"2026-11-21T09:00:00.000Z"}',
} satisfies ChainLink;

const recorded = (previous: string, change: Partial<RecordedEvent> = {}): RecordedEvent => ({
  stream: link.stream,
  revision: link.revision,
  id: link.id,
  type: link.type,
  data: link.data,
  contentType: 'json',
  position: 1n,
  metadata: Buffer.from(withChain(link.metadata, chainOf(previous, link))),
  ...change,
});

/** Each copy differs in one byte, in its lowest bit. */
function* flipped(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    yield copy;
  }
}

t.test('the layout is the documented one, byte for byte', async (t) => {
  const field = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const previous = 'ab'.repeat(32);
  const whole = Buffer.concat([
    Buffer.alloc(32, 0xab),
    field(Buffer.from('company-7')),
    field(Buffer.from([0, 0, 0, 0, 0, 0, 1, 2])),
    field(Buffer.from('0190b5a0-7c3a-5d11-9f00-0123456789ab')),
    field(Buffer.from('EmployeeSetConfirmed')),
    field(Buffer.from('{"total":3,"name":"née 🙂"}')),
    field(Buffer.from('{"companyId":7,"username":"HR","recordedAt":"2026-11-21T09:00:00.000Z"}')),
  ]);
  t.equal(chainOf(previous, link), createHash('sha256').update(whole).digest('hex'));
});

t.test('the layout does not change: logs of years ago must verify', async (t) => {
  t.equal(chainOf(CHAIN_START, link), 'fa6b881df47738f5104568a8e08e4dbab27ddb939c9e0b9f50360f0afb513806');
});

t.test('the chain value is the last member of the metadata', async (t) => {
  const stored = withChain(link.metadata, CHAIN_START);
  t.strictSame(JSON.parse(stored), { ...(JSON.parse(link.metadata) as object), chain: CHAIN_START });
  t.equal(storedChain(Buffer.from(stored)), CHAIN_START);
  for (const text of ['', '{}', link.metadata, `${stored} `, stored.replace('"chain":"0', '"chain":"G')]) {
    t.equal(storedChain(Buffer.from(text)), undefined, text);
  }
});

t.test('what was written verifies', async (t) => {
  t.equal(verifyChain(CHAIN_START, recorded(CHAIN_START)), chainOf(CHAIN_START, link));
  t.equal(verifyChain('ab'.repeat(32), recorded('ab'.repeat(32))), chainOf('ab'.repeat(32), link));
});

function* damaged(sound: RecordedEvent): Generator<RecordedEvent> {
  for (const data of flipped(sound.data)) yield { ...sound, data };
  for (const metadata of flipped(sound.metadata)) yield { ...sound, metadata };
  for (const field of ['type', 'id', 'stream'] as const) {
    for (const bytes of flipped(Buffer.from(sound[field]))) yield { ...sound, [field]: bytes.toString() };
  }
  for (const revision of [257, 259, 0, 2 ** 40 + 258]) yield { ...sound, revision };
}

t.test('one changed byte in any field does not', async (t) => {
  const sound = recorded(CHAIN_START);
  for (const event of damaged(sound)) t.throws(() => verifyChain(CHAIN_START, event), LogCorrupt);
  for (const previous of flipped(Buffer.alloc(32))) {
    t.throws(() => verifyChain(previous.toString('hex'), sound), LogCorrupt, 'previous');
  }
});

t.test('bytes do not wander between fields', async (t) => {
  const chain = chainOf(CHAIN_START, link);
  t.not(chainOf(CHAIN_START, { ...link, stream: `${link.stream}0`, type: link.type.slice(1) }), chain);
  const [first = '', ...rest] = link.type;
  t.not(chainOf(CHAIN_START, { ...link, id: link.id + first, type: rest.join('') }), chain);
  const data = Buffer.concat([link.data, Buffer.from('{')]);
  t.not(chainOf(CHAIN_START, { ...link, data, metadata: link.metadata.slice(1) }), chain);
});

t.test('the error names the place and no value', async (t) => {
  const changed = recorded(CHAIN_START, { data: Buffer.from('{"name":"secret"}') });
  t.throws(() => verifyChain(CHAIN_START, changed), {
    name: 'LogCorrupt',
    message: 'The chain of company-7 is broken at revision 258',
  });
});
