import { MisshapenSet } from '@rollcall/employee-lists/set';
import { EventLogUnavailable, LogCorrupt } from './event-log.js';
import { QueueUnavailable } from './queue.js';
import { ForeignReadModels, ReadModelsUnavailable, UnwritableDocument } from './read-models.js';

/** Its text names no values. */
export class Loggable extends Error {}

/** The payload of a queued import is not what its `ImportQueued` refers to. The text names the stream and the problem. */
export class PayloadCorrupt extends Loggable {
  override readonly name = 'PayloadCorrupt';
}

export class NoAnswer extends Loggable {
  override readonly name = 'NoAnswer';

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

const outages = [EventLogUnavailable, ReadModelsUnavailable, QueueUnavailable];
const namesNoValues = [...outages, ForeignReadModels, LogCorrupt, Loggable, MisshapenSet, UnwritableDocument];

export interface ProcessLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A server that is away says nothing about an event, an import or a message. */
export const isOutage = (error: unknown): error is Error => outages.some((kind) => error instanceof kind);

/** What may be logged of an error. Only errors that name no values show their text: a `SyntaxError`'s repeats its input. */
export function problemOf(error: unknown, during = ''): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  return namesNoValues.some((kind) => error instanceof kind) ? error.message : `${error.name}${during}`;
}

export function framesOf(error: unknown): string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim());
}
