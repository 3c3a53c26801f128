import t from 'tap';
import { blockBytes, JsonArena } from './json-arena.js';

t.test('a small event takes memory that fits it, a large one blocks', (t) => {
  const small = new JsonArena(700, false).text('{}');
  t.ok(small.buffer.byteLength <= 1_400, `${small.buffer.byteLength} bytes`);
  t.equal(new JsonArena(5 * blockBytes, true).text('{}').buffer.byteLength, blockBytes);
  t.end();
});

t.test('what needs more than was thought gets it, and all stays as it was written', (t) => {
  const arena = new JsonArena(10, false);
  const texts = Array.from(
    { length: 100 },
    (_, index) => `{"number":${index},"text":"${'x'.repeat(index)}"}`,
  );
  const kept = texts.map((text) => arena.text(text));
  t.same(
    kept.map((bytes) => Buffer.from(bytes).toString()),
    texts,
  );
  t.end();
});
