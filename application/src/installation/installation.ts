import { parseStoredType, type CallContext, type InstallationCreated } from '@rollcall/contracts';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/fold.js';
import { eventData } from '../event-store/loaded-event.js';
import type { EventReader } from '../ports/event-log.js';

const stream = 'installation';

interface Installation {
  readonly created: InstallationCreated | undefined;
  /** Stored types that may stand in the log, as far as programs said so. */
  readonly types: readonly string[];
}

const installationFold: Fold<Installation> = {
  initial: () => ({ created: undefined, types: [] }),
  evolve: async ({ created, types }, event) => {
    if (event.name !== 'CatalogueExtended')
      return { created: created ?? (await eventData(event, 'InstallationCreated')), types };
    return { created, types: [...types, ...(await eventData(event, 'CatalogueExtended')).types] };
  },
};

/** Which installation the log belongs to; undefined where no process of this version has begun on it. */
export const readInstallation = async (log: EventReader): Promise<InstallationCreated | undefined> =>
  (await foldStream(log, stream, installationFold)).state.created;

/** Stored types that may stand in the log and that this program does not know: a newer one has written to it. */
export async function typesOfNewerPrograms(log: EventReader): Promise<readonly string[]> {
  const { types } = (await foldStream(log, stream, installationFold)).state;
  return types.filter((type) => parseStoredType(type) === undefined);
}

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
      known.created === undefined
        ? { kind: 'events', events: [{ name: 'InstallationCreated', data: created }] }
        : { kind: 'nothing' },
  });
  if (loaded.state.created === undefined) throw new TypeError('an installation that was created is there');
  return loaded.state.created;
}

/** Says before any is written which stored types may stand in the log from now on; nothing where all are known. */
export async function extendCatalogue(
  deps: DecideAndAppendDeps,
  context: CallContext,
  own: readonly string[],
): Promise<void> {
  await decideAndAppend(deps, {
    stream,
    context,
    fold: installationFold,
    decide: ({ types }) => {
      const missing = own.filter((type) => !types.includes(type));
      if (missing.length === 0) return { kind: 'nothing' };
      return { kind: 'events', events: [{ name: 'CatalogueExtended', data: { types: missing } }] };
    },
  });
}

/** Whether anything stands in the log but what is said of the installation. */
export const isLogUsed = async (log: Pick<EventReader, 'lastPosition'>): Promise<boolean> =>
  (await log.lastPosition({ withoutStreams: [stream] })) !== undefined;
