import { MisshapenSet } from '@rollcall/domain';
import { EventLogUnavailable, LogCorrupt } from './event-log.js';
import { PayloadCorrupt } from '../imports/payloads.js';
import { QueueUnavailable } from './queue.js';
import { ForeignReadModels, ReadModelsUnavailable, UnwritableDocument } from './read-models.js';

const outages = [EventLogUnavailable, ReadModelsUnavailable, QueueUnavailable];
const namesPlacesOnly = [
  ...outages,
  ForeignReadModels,
  LogCorrupt,
  MisshapenSet,
  PayloadCorrupt,
  UnwritableDocument,
];

/** The logger of what runs beside the api: pino's, or anything that has these of it. */
export interface ProcessLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A server that is away says nothing about an event, an import or a message. */
export const isOutage = (error: unknown): error is Error => outages.some((kind) => error instanceof kind);

/**
 * What may be told of an error: the whole text of those that are made to name places only; the kind of all others, with
 * what went on, because a text such as that of a `SyntaxError` repeats what it stumbled over.
 */
export function problemOf(error: unknown, during = ''): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  return namesPlacesOnly.some((kind) => error instanceof kind) ? error.message : `${error.name}${during}`;
}

/** Where an error was thrown, without its text. */
export function framesOf(error: unknown): string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim());
}
