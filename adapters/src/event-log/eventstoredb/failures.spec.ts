import { Metadata, status } from '@grpc/grpc-js';
import tap from 'tap';
import { failureOf } from './failures.js';

tap.test('attempts that fail for one reason have one text', (t) => {
  const attempt = (moment: string): Error =>
    failureOf(
      Object.assign(new Error('14 UNAVAILABLE'), {
        code: status.UNAVAILABLE,
        details: `No connection established. Last error: Failed to connect (${moment}). Resolution note: `,
      }),
    );
  const text = 'EventStoreDB is not available: No connection established. Last error: Failed to connect';
  t.equal(attempt('2026-11-23T13:12:13.652Z').message, text);
  t.equal(attempt('2026-11-23T13:12:13.911Z').message, text);
  t.end();
});

tap.test('a server that takes less in an append is an outage that names its setting', (t) => {
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  const answer = Object.assign(new Error('refused'), { code: status.INVALID_ARGUMENT, metadata });
  t.match(failureOf(answer), { name: 'EventLogUnavailable', message: /MaxAppendSize to 1048576/ });
  t.end();
});
