import { parseStoredType, type CallContext, type InstallationCreated } from '@rollcall/contracts';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import type { EventReader } from '../ports/event-log.js';

const stream = 'installation';

interface Installation {
  readonly created: InstallationCreated | undefined;
  readonly types: readonly string[];
}

const installationFold: Fold<Installation> = {
  initial: () => ({ created: undefined, types: [] }),
  evolve: async ({ created, types }, event) => {
    if (event.name !== 'CatalogueExtended')
      return { created: created ?? (await event.data('InstallationCreated')), types };
    return { created, types: [...types, ...(await event.data('CatalogueExtended')).types] };
  },
};

/** Undefined where no process of this version has written to the log. */
export const readInstallation = async (log: EventReader): Promise<InstallationCreated | undefined> =>
  (await foldStream(log, stream, installationFold)).state.created;

/** Announced stored types that this program does not know: a newer one has written to the log. */
export async function typesOfNewerPrograms(log: EventReader): Promise<readonly string[]> {
  const { types } = (await foldStream(log, stream, installationFold)).state;
  return types.filter((type) => parseStoredType(type) === undefined);
}

/** Records the installation. Concurrent callers get the first one's answer. */
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

/** Announces this program's stored types before any is written. */
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

export const isLogUsed = async (log: Pick<EventReader, 'lastPosition'>): Promise<boolean> =>
  (await log.lastPosition({ withoutStreams: [stream] })) !== undefined;
