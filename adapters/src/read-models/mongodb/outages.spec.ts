import { ReadModelsUnavailable, UnwritableDocument } from '@rollcall/application';
import {
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
} from 'mongodb';
import t from 'tap';
import { asOutage } from './outages.js';

t.test('a server that is not there is an outage, without what it says of documents', async (t) => {
  const name = Object.assign(new Error('querySrv ENOTFOUND'), { syscall: 'querySrv', code: 'ENOTFOUND' });
  const closed = new MongoNotConnectedError('the client was renewed');
  const away = new MongoServerError({ code: 11_600, codeName: 'InterruptedAtShutdown', message: 'secret' });
  for (const error of [new MongoNetworkError('reset'), closed, new MongoExpiredSessionError(), away, name]) {
    const outage = asOutage(error);
    t.ok(outage instanceof ReadModelsUnavailable, error.name);
    t.notMatch(outage, { message: /secret/ });
  }
});

t.test('a mistake of this program is none: it is not tried for ever', async (t) => {
  const own = new TypeError('x is not a function');
  t.equal(asOutage(own), own);
  const misused = new MongoInvalidArgumentError('no such option');
  t.equal(asOutage(misused), misused);
  const unwritable = new UnwritableDocument('too long');
  t.equal(asOutage(unwritable), unwritable);
  const refused = asOutage(new MongoServerError({ code: 10_334, message: 'Object secret is too large' }));
  t.match(refused, { name: 'CommandRefused', message: /10334/ });
  t.notOk(refused instanceof ReadModelsUnavailable);
  t.notMatch(refused, { message: /secret/ });
});
