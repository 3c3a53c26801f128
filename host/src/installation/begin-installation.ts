import { randomUUID } from 'node:crypto';
import {
  createInstallation,
  extendCatalogue,
  isLogUsed,
  systemContext,
  eventsToEnd,
  readInstallation,
  refuseUnfinishedImport,
  typesOfNewerPrograms,
  type Clock,
  type EventLog,
  type Queue,
  type ReadModels,
} from '@rollcall/application';
import { catalogue, isEventName, storedTypeOf, type InstallationCreated } from '@rollcall/contracts';
import { keyCheckOf, keysOfLog, openKeys, readKeys, type Keys } from '@rollcall/adapters';

/** Stores that do not belong together; the text says what to do. */
export class InstallationMismatch extends Error {
  override readonly name = 'InstallationMismatch';
}

interface InstallationParts {
  readonly log: EventLog;
  readonly readModels: Pick<ReadModels, 'beginEmpty' | 'generations'>;
  /** Absent where the process does without. */
  readonly queue?: Pick<Queue, 'depth'>;
  readonly keyFolder: string;
  readonly clock: Clock;
  /** A process that writes no events announces no types: processes of an older version may start beside it. */
  readonly onlyReads?: boolean;
}

/**
 * Checks at a process's start that log, digest key and read models belong together. A log without an installation id gets
 * one, safely in concurrent processes; only an unused log gets a new digest key. `KeysUnusable`; `InstallationMismatch`
 * where the read models are another installation's, an empty log has derived data, or a newer program has written to it.
 */
export async function beginInstallation(parts: InstallationParts): Promise<Keys> {
  const { log, readModels, keyFolder, clock } = parts;
  await refuseUnfinishedImport(log);
  await refuseNewerLog(log);
  const installation = (await readInstallation(log)) ?? (await begin(parts));
  const keys = await keysOfLog(keyFolder, installation.keyCheck);
  const theirs = (await installationOf(readModels)) ?? installation.installationId;
  if (theirs !== installation.installationId)
    throw new InstallationMismatch(
      'The read models belong to another installation than the event log: give this one read models of its own, or ' +
        'run rollcall projections rebuild to replace them.',
    );
  if (!parts.onlyReads)
    await extendCatalogue({ log, clock }, systemContext('start', clock.now()), ownTypes());
  return keys;
}

/** Of the read models that this process reads, else of the newest ones. */
async function installationOf(readModels: Pick<ReadModels, 'generations'>): Promise<string | null> {
  const all = await readModels.generations();
  const read =
    all.find(({ status }) => status === 'live') ?? all.findLast(({ status }) => status === 'other');
  return read?.progress.last?.installationId ?? null;
}

const ownTypes = (): string[] => Object.keys(catalogue).filter(isEventName).map(storedTypeOf);

async function refuseNewerLog(log: EventLog): Promise<void> {
  const [type] = await typesOfNewerPrograms(log);
  if (type === undefined) return;
  throw new InstallationMismatch(
    `A newer version of Rollcall has written to the event log: it may hold ${type}, which this one does not know. ` +
      'Start the newer one.',
  );
}

/** Reads the keys, never creates them. `KeysUnusable` where they are missing or another installation's. */
export const installationKeys = async (
  log: Parameters<typeof readInstallation>[0],
  keyFolder: string,
): Promise<Keys> => keysOfLog(keyFolder, (await readInstallation(log))?.keyCheck);

async function begin(parts: InstallationParts): Promise<InstallationCreated> {
  const { log, keyFolder, clock } = parts;
  const isUsed = await isLogUsed(log);
  if (!isUsed && (await isAnythingMade(parts))) {
    const begun = await readInstallation(log);
    if (begun !== undefined) return begun;
    throw new InstallationMismatch(
      'The event log is empty, and the read models or the queue beside it are not: restore the event log from a backup. ' +
        'To begin anew, remove the read models and the queue too.',
    );
  }
  if (!isUsed) await parts.readModels.beginEmpty();
  const mayHaveDigests = isUsed && (await readKeys({ folder: keyFolder })) === undefined;
  const needsKey = mayHaveDigests && (await hasImports(log));
  const keys = needsKey ? await keysOfLog(keyFolder, undefined) : await openKeys({ folder: keyFolder });
  const created = { installationId: randomUUID(), keyCheck: keyCheckOf(keys) };
  return createInstallation({ log, clock }, systemContext('start', clock.now()), created);
}

/** Whether data exists that only a log can have led to. */
async function isAnythingMade({ readModels, queue }: InstallationParts): Promise<boolean> {
  if ((await readModels.generations()).some(({ progress }) => progress.position !== undefined)) return true;
  if (queue === undefined) return false;
  const { waiting, unsettled } = await queue.depth('imports');
  return waiting + unsettled > 0;
}

/** Whether an earlier version's log holds digests; read only where the key is missing. */
async function hasImports(log: EventLog): Promise<boolean> {
  const digesting = ['EmployeeSetReplaced', 'ManagerRolesImported'];
  for await (const { type } of eventsToEnd(log, undefined)) if (digesting.includes(type)) return true;
  return false;
}
