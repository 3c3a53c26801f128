import { v5 } from 'uuid';

/**
 * The id of the event that an operation writes at this place of a stream: a UUID v5, so that a repeat of the operation
 * is the same event (design: "Streams and events").
 */
export const eventId = (operationId: string, stream: string, index: number): string =>
  v5(`${stream}/${index}`, operationId);
