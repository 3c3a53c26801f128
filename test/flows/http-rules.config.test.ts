import { ConfigInvalid } from '@rollcall/adapters';
import { readServerConfig } from '@rollcall/api';

import t from 'tap';

t.test('an empty environment gives the documented defaults', (t) => {
  const config = readServerConfig({ PORT: '' });
  t.match(config, {
    host: '127.0.0.1',
    port: 3000,
    logLevel: 'info',
    adapters: {
      eventLog: { kind: 'embedded' },
      readModels: { kind: 'embedded' },
      queue: { kind: 'embedded' },
      streamPrefix: '',
    },
    api: {
      jwtIssuer: 'rollcall',
      jwtAudience: 'rollcall',
      jwtAlgorithm: 'EdDSA',
      bodyLimit: 1024 * 1024,
      employeeBodyLimit: 256 * 1024 * 1024,
      managerBodyLimit: 16 * 1024 * 1024,
      queueBodyBytes: 8 * 1024 * 1024,
      bodyBudget: 512 * 1024 * 1024,
      rateLimitPerMinute: 6000,
    },
  });
  t.match(config.adapters.dataDir, /[\\/]data$/);
  t.match(config.publicKeyFolder, /public$/);
  t.end();
});

t.test('a bad value stops with one line that names the variable', (t) => {
  const bad: [Record<string, string>, RegExp][] = [
    [{ EVENT_LOG: 'kafka' }, /^EVENT_LOG must be one of embedded, eventstoredb$/],
    [{ READ_MODELS: 'sql' }, /^READ_MODELS must be one of embedded, mongodb$/],
    [{ QUEUE: 'post' }, /^QUEUE must be one of embedded/],
    [{ BODY_BUDGET: '536870911' }, /^BODY_BUDGET must be at least 536870912, twice the largest/],
    [{ BODY_LIMIT: '300000000' }, /^BODY_BUDGET must be at least 600000000, /],
    [{ MANAGER_BODY_LIMIT: '300000000' }, /^BODY_BUDGET must be at least 600000000, /],
    [{ PORT: '65536' }, /^PORT must be <= 65535$/],
    [{ PORT: 'http' }, /^PORT must be integer$/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of /],
    [{ JWT_ALGORITHM: 'none' }, /^JWT_ALGORITHM must be one of /],
    [{ RATE_LIMIT_PER_MINUTE: '-1' }, /^RATE_LIMIT_PER_MINUTE must be >= 0$/],
    [{ BODY_LIMIT: '1MB' }, /^BODY_LIMIT must be integer$/],
  ];
  for (const [env, message] of bad) {
    t.throws(() => readServerConfig(env), { message }, JSON.stringify(env));
    t.throws(() => readServerConfig(env), ConfigInvalid);
  }
  t.end();
});
