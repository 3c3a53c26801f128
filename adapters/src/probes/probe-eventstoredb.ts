import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Metadata } from '@grpc/grpc-js';
import { EventLogUnavailable, within, type Clock } from '@rollcall/application';
import { coreOf } from '../event-log/eventstoredb/client-core.js';
import { clientFor } from '../event-log/eventstoredb/connection-string.js';
import { notFound } from '../event-log/eventstoredb/discovery.js';
import { aheadOf, isOlder, timed, type FoundServer } from './found-server.js';

const LEAST = '23.10';
const ASK_MS = 5_000;

/** `EventLogUnavailable` if no server answers. */
export async function probeEventStoreDb(connectionString: string, clock: Clock): Promise<FoundServer> {
  const core = coreOf(clientFor(connectionString));
  const close = async (): Promise<void> => (await core.getChannel()).close();
  try {
    const asking = timed(clock, () => ask(core));
    const { answer, read } = await within(asking, ASK_MS);
    const { version, date } = answer;
    return {
      name: `EventStoreDB ${version}`,
      tooOld: isOlder(version, LEAST) ? `${LEAST} is the least` : undefined,
      // The header has whole seconds.
      clockAheadMs:
        date === undefined
          ? undefined
          : aheadOf(date + 500, { before: read.before - 500, after: read.after + 500 }),
    };
  } catch (error) {
    throw error instanceof EventLogUnavailable ? error : await notFound(connectionString, error);
  } finally {
    await within(close(), ASK_MS).catch(() => undefined);
  }
}

interface Answer {
  readonly version: string;
  readonly date: number | undefined;
}

const ask = (core: ReturnType<typeof coreOf>): Promise<Answer> =>
  core.execute(ServerFeaturesClient, 'doctor', (client) => {
    const [metadata, options] = core.callArguments({ requiresLeader: false, deadline: ASK_MS });
    return new Promise<Answer>((resolve, reject) => {
      let date: number | undefined;
      const call = client.getSupportedMethods(new shared.Empty(), metadata, options, (error, methods) =>
        error === null ? resolve({ version: methods.getEventStoreServerVersion(), date }) : reject(error),
      );
      call.on('metadata', (headers: Metadata) => (date = dateOf(headers)));
    });
  });

function dateOf(headers: Metadata): number | undefined {
  const date = Date.parse(String(headers.get('date')[0] ?? ''));
  return Number.isNaN(date) ? undefined : date;
}
