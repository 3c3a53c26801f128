import { v5 } from 'uuid';

/**
 * The id of the event that an operation writes to a stream at this index, or in the step of this name: a UUID v5, so that
 * a repeat of the operation is the same event (design: "Streams and events").
 */
export const eventId = (operationId: string, stream: string, place: number | string): string =>
  v5(`${stream}/${place}`, operationId);
