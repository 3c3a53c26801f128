import type { ReadModelReader } from '@rollcall/application';
import { HttpError } from './errors.js';

/** A 503 where the projection of one of these streams has stopped (design: "Read models"). */
export async function refuseParked(
  readModels: ReadModelReader,
  isConcerned: (stream: string) => boolean,
): Promise<void> {
  const broken = await readModels.parkedStreams();
  if (broken.some(({ stream }) => isConcerned(stream)))
    throw new HttpError('unavailable', {
      message: 'What this endpoint shows cannot be brought up to date at the moment. Try again later.',
      headers: { 'retry-after': '60' },
      reason: 'broken projection',
    });
}
