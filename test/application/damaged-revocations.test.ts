import {
  findIssuedToken,
  LogCorrupt,
  newId,
  OperatorSessions,
  revokeSessions,
  systemClock as clock,
  type EventLog,
} from '@rollcall/application';
import tap from 'tap';
import { append, context } from '../projector/projector.support.js';
import { scriptedLog } from './decide-and-append.support.js';

/** The same log; this stream cannot be read. */
const withDamage = (log: EventLog, damaged: string): EventLog => ({
  ...log,
  readStream: (stream, options) => {
    if (stream === damaged) throw new LogCorrupt(`The chain of ${stream} is broken at revision 0`);
    return log.readStream(stream, options);
  },
});

tap.test('a damaged stream of one session keeps no other from being revoked', async (t) => {
  const log = await scriptedLog(t);
  const randomId = (): string => newId();
  const sessions = new OperatorSessions({ log, clock, key: Buffer.alloc(32), newId, randomId });
  const operator = { name: 'Ada', role: 'Operator', companyId: 7 } as const;
  const links = [newId(), newId(), newId()];
  for (const linkId of links) await sessions.signIn({ linkId, operator, expiresAt: Infinity });
  const damaged = withDamage(log, `operator-${links[0]}`);
  t.equal(await revokeSessions({ log: damaged, clock }, context({ companyId: null }), 'Ada'), 2);
});

tap.test('a damaged stream of one user keeps no token of another one from being found', async (t) => {
  const log = await scriptedLog(t);
  const expiresAt = '2027-11-25T08:00:00.000Z';
  for (const userId of [1, 2, 3])
    await append({ log, clock }, `apitokens-${userId}`, {
      name: 'ApiTokenIssued',
      data: { userId, jti: `019aa2f0-5c00-7000-8000-00000000000${userId}`, kid: 'key-1', expiresAt },
    });
  const find = (userId: number) =>
    findIssuedToken(withDamage(log, 'apitokens-1'), `019aa2f0-5c00-7000-8000-00000000000${userId}`);
  t.match(await find(3), { userId: 3 });
  t.equal(await find(1), undefined, 'it is revoked as one that comes from elsewhere');
});
