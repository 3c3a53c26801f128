import { gzipSync } from 'node:zlib';
import t from 'tap';
import { companyId, startTestApp } from '../support/test-app.js';

t.test('a packed body that has arrived whole is not cut, however long unpacking it takes', async (t) => {
  const app = await startTestApp(t, { timeouts: { bodyProgress: 5 } });
  const body = Buffer.alloc(80 * 1024 * 1024, ' ');
  body.write('[');
  body.write(']', body.length - 1);
  const answer = await app.call('PUT', `/v1.0/Company/${companyId}/Employee?dryRun=true`, {
    body: gzipSync(body),
    headers: { 'content-encoding': 'gzip' },
  });
  t.equal(answer.status, 200, answer.text);
});
