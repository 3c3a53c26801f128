import { ReadModelsUnavailable, type Clock } from '@rollcall/application';
import { Connection } from '../read-models/mongodb/connection.js';
import { aheadOf, timed, type FoundServer } from './found-server.js';

const ASK_MS = 5_000;

/** Also tests the right to write. `ReadModelsUnavailable` if no server answers, or one refuses, is too old or stands alone. */
export async function probeMongodb(url: string, clock: Clock): Promise<FoundServer> {
  const connection = await Connection.open({ url, readMs: ASK_MS, writeMs: ASK_MS });
  try {
    if (!connection.hasSnapshots)
      throw new ReadModelsUnavailable('MongoDB has to be a replica set (--replSet)');
    const { answer, read } = await timed(clock, () =>
      connection.read(() => connection.db.command({ hello: 1 })),
    );
    const { version } = await connection.read(() => connection.db.admin().command({ buildInfo: 1 }));
    await connection.write(() =>
      connection
        .collection<{ _id: string }>('doctor')
        .updateOne({ _id: 'nobody' }, { $set: { _id: 'nobody' } }),
    );
    const time: unknown = answer['localTime'];
    return {
      name: `MongoDB ${String(version)}`,
      tooOld: undefined,
      clockAheadMs: time instanceof Date ? aheadOf(time.getTime(), read) : undefined,
    };
  } finally {
    await connection.close();
  }
}
