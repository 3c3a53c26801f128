import { LogCorrupt, UnwritableDocument, isOutage, type ProcessLogger } from '@rollcall/application/read';
export { framesOf, isOutage } from '@rollcall/application/read';

import { MisshapenSet } from '@rollcall/domain';

/** The read models claim more than the log holds: new events would be passed over. They have to be built again. */
export class AheadOfLog extends Error {
  override readonly name = 'AheadOfLog';
  override readonly message = 'the read models are ahead of the log, as after a restore: rebuild them';
}

export type ProjectorLogger = ProcessLogger;

/**
 * What may be told of an error: the whole text of those that are made to name places only, the kind of all others, because
 * a text such as that of a `SyntaxError` repeats what it stumbled over.
 */
export function problemOf(error: unknown): string {
  if (isPlain(error)) return textOf(error);
  return error instanceof Error
    ? `${error.name} while it was projected`
    : 'something that is no error was thrown';
}

const isPlain = (error: unknown): boolean =>
  [LogCorrupt, MisshapenSet, UnwritableDocument, AheadOfLog].some((kind) => error instanceof kind) ||
  isOutage(error);

const textOf = (error: unknown): string => (error instanceof Error ? error.message : '');
