import { queueNames, type Clock } from '@rollcall/application';
import { parseNatsUrl } from '../queue/nats/address.js';
import { Connection } from '../queue/nats/connection.js';
import { namesOf } from '../queue/nats/setup.js';
import { aheadOf, isOlder, timed, type FoundServer } from './found-server.js';

const LEAST = '2.10.23';
const ASK_MS = 5_000;

export async function probeNats(
  { url, streamPrefix }: Readonly<Record<'url' | 'streamPrefix', string>>,
  clock: Clock,
): Promise<FoundServer> {
  const connection = new Connection(parseNatsUrl(url), {
    name: `${streamPrefix}rollcall`,
    timeoutMs: ASK_MS,
  });
  try {
    return await connection.use(async ({ nc }) => {
      const version = nc.info?.version ?? 'of an unknown version';
      const jsm = await nc.jetstreamManager({ timeout: ASK_MS });
      await jsm.getAccountInfo();
      const [queue] = queueNames;
      const { answer, read } = await timed(clock, () =>
        jsm.streams.info(namesOf(streamPrefix, queue).stream).catch(() => undefined),
      );
      const time = answer === undefined ? NaN : Date.parse(String(Reflect.get(answer, 'ts')));
      return {
        name: `nats-server ${version}`,
        tooOld: isOlder(version, LEAST)
          ? `${LEAST} is the least: older ones may lose what was acknowledged`
          : undefined,
        clockAheadMs: Number.isNaN(time) ? undefined : aheadOf(time, read),
      };
    });
  } finally {
    await connection.close();
  }
}
