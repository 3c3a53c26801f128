import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerVariables } from '@rollcall/host';
import { readWorkerConfig } from '@rollcall/worker';
import tap, { type Test } from 'tap';
import { rollcallOn } from '../cli/rollcall.js';

const secrets = {
  ANCHOR_URL: { chosenBy: {}, value: 'https://ops:s3cret@anchors.example.com/' },
  EVENTSTOREDB_URL: { chosenBy: { EVENT_LOG: 'eventstoredb' }, value: 'esdb://ops:s3cret@127.0.0.1:2113' },
  MONGODB_URL: { chosenBy: { READ_MODELS: 'mongodb' }, value: 'mongodb://ops:s3cret@127.0.0.1/rollcall' },
  NATS_URL: { chosenBy: { QUEUE: 'nats' }, value: 'nats://ops:s3cret@127.0.0.1:4222' },
  SMTP_URL: {
    chosenBy: {
      MAILER: 'smtp',
      INVITATION_SENDER: 'hr@example.com',
      INVITATION_URL: 'https://surveys.example.com',
    },
    value: 'smtps://ops:s3cret@127.0.0.1:465',
  },
};

const configOf = (env: NodeJS.ProcessEnv): string => JSON.stringify(readWorkerConfig(env));

tap.test('every variable that takes a password may lie in a file', async (t) => {
  const taking = Object.keys(workerVariables).filter(
    (name) => /_URL$/.test(name) && !['INVITATION_URL', 'OPERATIONS_URL'].includes(name),
  );
  t.strictSame(taking.toSorted(), Object.keys(secrets).toSorted());
  for (const name of taking) t.ok(`${name}_FILE` in workerVariables, `${name}_FILE`);
});

for (const [name, { chosenBy, value }] of Object.entries(secrets)) {
  const from = (more: NodeJS.ProcessEnv) => (): string => configOf({ ...chosenBy, ...more });
  const given = (t: Test, content: string | Uint8Array): string =>
    join(t.testdir({ secret: content }), 'secret');

  tap.test(`${name}_FILE`, async (t) => {
    const asVariable = from({ [name]: value })();
    for (const content of [value, `${value}\n`, `${value}\r\n`])
      t.equal(from({ [`${name}_FILE`]: given(t, content) })(), asVariable, JSON.stringify(content));

    const file = given(t, value);
    const refused = (env: NodeJS.ProcessEnv, message: RegExp): void => {
      t.throws(from(env), { name: 'ConfigInvalid', message });
    };
    refused(
      { [name]: value, [`${name}_FILE`]: file },
      new RegExp(`^${name}_FILE and ${name} are both set: leave one of them out$`),
    );
    refused(
      { [`${name}_FILE`]: `${file}.not` },
      new RegExp(`^${name}_FILE .*cannot be read \\(ENOENT\\): .*secret.not$`),
    );
    refused({ [`${name}_FILE`]: t.testdirName }, new RegExp(`^${name}_FILE .*cannot be read \\(EISDIR\\)`));
    for (const content of ['', '\n', '  \n'])
      refused({ [`${name}_FILE`]: given(t, content) }, new RegExp(`^${name}_FILE names an empty file`));
    refused({ [`${name}_FILE`]: given(t, 's3cret but no URL') }, /^(?!.*s3cret)/);
    t.equal(from({ [name]: value, [`${name}_FILE`]: '' })(), asVariable, 'an empty variable is not set');
    const alone = {
      name: 'ConfigInvalid',
      message: 'SMTP_URL is set and MAILER is not: choose smtp or file',
    };
    for (const given of [{ [name]: value }, { [`${name}_FILE`]: file }])
      if (name === 'SMTP_URL') t.throws(() => configOf(given), alone);
  });
}

tap.test('the command line reads them too, and shows nothing of them', async (t) => {
  const env = { READ_MODELS: 'mongodb', MONGODB_URL_FILE: join(t.testdir({ secret: 's3cret' }), 'secret') };
  const { code, out, err } = await rollcallOn(t.testdirName, env)('company list');
  t.match({ code, out }, { code: 2, out: '' });
  t.match(err, /^MONGODB_URL must begin with/);
  t.notMatch(err, /s3cret/);
  t.equal(readFileSync(env.MONGODB_URL_FILE, 'utf8'), 's3cret');
});
