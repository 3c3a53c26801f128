import type { CallContext, InstallationCreated } from '@rollcall/contracts';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/fold.js';
import { eventData } from '../event-store/loaded-event.js';
import type { EventReader } from '../ports/event-log.js';

const stream = 'installation';

const installationFold: Fold<InstallationCreated | undefined> = {
  initial: () => undefined,
  evolve: async (state, event) => state ?? (await eventData(event, 'InstallationCreated')),
};

/** Which installation the log belongs to; undefined where no process of this version has begun on it. */
export const readInstallation = async (log: EventReader): Promise<InstallationCreated | undefined> =>
  (await foldStream(log, stream, installationFold)).state;

/** Says once for all which installation the log belongs to. Of several at once all get the same answer: the first one's. */
export async function createInstallation(
  deps: DecideAndAppendDeps,
  context: CallContext,
  created: InstallationCreated,
): Promise<InstallationCreated> {
  const { loaded } = await decideAndAppend(deps, {
    stream,
    context,
    fold: installationFold,
    decide: (known) =>
      known === undefined
        ? { kind: 'events', events: [{ name: 'InstallationCreated', data: created }] }
        : { kind: 'nothing' },
  });
  if (loaded.state === undefined) throw new TypeError('an installation that was created is there');
  return loaded.state;
}

/** Whether anything stands in the log but which installation it belongs to. */
export const isLogUsed = async (log: Pick<EventReader, 'lastPosition'>): Promise<boolean> =>
  (await log.lastPosition({ withoutStreams: [stream] })) !== undefined;
