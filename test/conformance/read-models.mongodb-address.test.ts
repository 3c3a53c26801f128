import { openMongodbReadModels } from '@rollcall/adapters';

import t from 'tap';

const opened = (url: string): Promise<Error> =>
  openMongodbReadModels({ url, readMs: 500 }).then(
    () => new Error('it was taken'),
    (error: unknown) => error as Error,
  );

t.test(
  'a connection string that the driver refuses is refused, and its password is not repeated',
  async (t) => {
    const at = 'mongodb://rollcall:secret@127.0.0.1:1';
    for (const [url, what] of [
      [`${at}/rollcall?minPoolSize=50`, 'minimum size'],
      [`${at}/rollcall?unknown=1`, 'option unknown is not supported'],
      [`${at}/rollcall?tls=true&tlsCAFile=/nope/ca.crt`, 'ENOENT.*/nope/ca.crt'],
      ...['/', '?', '#', '%', '@', ':', '@/', '@?', '@secret/', '/@', '@#/', '@x=/@', '@?x=1&w=y/@'].map(
        (sign) =>
          [at.replace('secret', `secret${sign}1`), 'write .* percent-encoded, such as %40 for @$'] as const,
      ),
    ] as const) {
      const problem = await opened(url);
      t.match(problem, { name: 'ConfigInvalid', message: new RegExp(`^MONGODB_URL .*${what}`) }, url);
      t.notOk(problem.message.includes('secret'), url);
    }
  },
);

t.test('a server that is away is no mistake of the connection string', async (t) => {
  t.match(await opened('mongodb://127.0.0.1:1/rollcall'), {
    name: 'ReadModelsUnavailable',
    message: /ECONNREFUSED/,
  });
});
