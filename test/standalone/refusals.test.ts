import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import tap from 'tap';
import { start } from './start.js';

async function refusal(
  dataDir: string,
  env: Record<string, string>,
): Promise<{ code: unknown; err: string }> {
  const running = start(dataDir, env);
  const { code, err } = await running.child.ended;
  return { code, err };
}

tap.test('a taken port is told in one line', async (t) => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  t.teardown(() => server.close());
  const { code, err } = await refusal(t.testdir(), { PORT: String(port) });
  t.equal(code, 1);
  t.match(err, new RegExp(`^PORT ${port} on 127\\.0\\.0\\.1 is taken: .*\\n$`));
});

tap.test('a data folder that cannot be one is told in one line', async (t) => {
  const dataDir = join(t.testdir({ file: 'mine' }), 'file');
  const { code, err } = await refusal(dataDir, {});
  t.equal(code, 1);
  t.match(err, /^DATA_DIR .*file is no folder that this user can write to \(E[A-Z]+\)\.\n$/);
});

tap.test('a wrong value names its variable, and nothing is written', async (t) => {
  const dataDir = t.testdir();
  const wrong: Readonly<Record<string, string>> = {
    PORT: 'three',
    LOG_LEVEL: 'loud',
    EVENT_LOG: 'paper',
    READ_MODELS: 'paper',
    BODY_LIMIT: '-1',
    RATE_LIMIT_PER_MINUTE: '1.5',
    MAILER: 'pigeon',
    INVITATION_RATE: 'fast',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const { code, err } = await refusal(dataDir, { [name]: value });
    t.equal(code, 2, name);
    t.match(err, new RegExp(`^${name} must .*\\n$`));
  }
  t.same(readdirSync(dataDir), []);
});

tap.test('an address that is not of this machine is told in one line', async (t) => {
  const { code, err } = await refusal(t.testdir(), { HOST: '192.0.2.1' });
  t.equal(code, 1);
  t.match(err, /^HOST 192\.0\.2\.1 .*\n$/);
});
