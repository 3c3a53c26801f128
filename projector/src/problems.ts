import {
  EventLogUnavailable,
  LogCorrupt,
  ReadModelsUnavailable,
  UnwritableDocument,
} from '@rollcall/adapters';
import { MisshapenSet } from '@rollcall/domain';

/** The read models claim more than the log holds: new events would be passed over. They have to be built again. */
export class AheadOfLog extends Error {
  override readonly name = 'AheadOfLog';
  override readonly message = 'the read models are ahead of the log, as after a restore: rebuild them';
}

/** The logger of the projector: pino's, or anything that has these of it. */
export interface ProjectorLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A store that is away says nothing about an event. */
export const isOutage = (error: unknown): boolean =>
  error instanceof EventLogUnavailable || error instanceof ReadModelsUnavailable;

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

/** Where an error was thrown, without its text. */
export function framesOf(error: unknown): string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim());
}
