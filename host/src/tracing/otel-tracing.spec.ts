import { traceOf, traceparentOf } from './otel-tracing.js';

import tap from 'tap';

tap.test('the trace of an operation is its id', async (t) => {
  const { traceId, spanId } = traceOf('019AA2F0-5c00-7000-8000-000000000001');
  t.equal(traceId, '019aa2f05c0070008000000000000001');
  t.match(spanId, /^[0-9a-f]{16}$/);
  t.same(traceOf('019aa2f0-5c00-7000-8000-000000000001'), { traceId, spanId }, 'whoever works it out');
  t.not(traceOf('019aa2f0-5c00-7000-8000-000000000002').spanId, spanId);
});

tap.test('what a caller sends as traceparent', async (t) => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const same = { traceId: trace, spanId: span };
  t.same(traceparentOf(`00-${trace}-${span}-01`), same);
  t.same(traceparentOf(`cc-${trace}-${span}-01-what-comes-later`), same);
  for (const none of [
    undefined,
    '',
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}`,
    `00-${trace.toUpperCase()}-${span}-01`,
  ])
    t.equal(traceparentOf(none), undefined, String(none));
});
