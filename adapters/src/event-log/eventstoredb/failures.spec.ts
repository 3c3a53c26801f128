import { Metadata, status } from '@grpc/grpc-js';
import tap from 'tap';
import { failureOf } from './failures.js';

tap.test('a server that takes less in an append is an outage that names its setting', (t) => {
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  const answer = Object.assign(new Error('refused'), { code: status.INVALID_ARGUMENT, metadata });
  t.match(failureOf(answer), { name: 'EventLogUnavailable', message: /MaxAppendSize to 1048576/ });
  t.end();
});
