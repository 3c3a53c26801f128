import type { Position } from './ports/event-log.js';
import { type ReadModelReader, ReadModelsUnavailable } from './ports/read-models.js';

const waitMs = 1_000;

/**
 * Waits until the read models show what was appended to the stream, so that a caller who reads finds it there, nearly always; at most
 * 1 s, and not at all where they are away: what is in the log is done (design: "Read models").
 */
export async function readModelsAt(
  readModels: ReadModelReader,
  { position, stream }: { readonly position: Position; readonly stream: string },
): Promise<void> {
  try {
    await readModels.reached(position, waitMs, stream);
  } catch (error) {
    if (!(error instanceof ReadModelsUnavailable)) throw error;
  }
}
