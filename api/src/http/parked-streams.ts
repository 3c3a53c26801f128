import type { DamageWatch } from '@rollcall/host';
import type { ReadModelReader } from '@rollcall/application';
import { HttpError, unusable } from './errors.js';

export interface ParkedIn {
  readonly readModels: Pick<ReadModelReader, 'parkedStreams'>;
  readonly damage?: Pick<DamageWatch, 'streams'> | undefined;
}

export function refuseDamaged(damage: ParkedIn['damage'], stream: string): void {
  const problem = damage?.streams.get(stream);
  if (problem !== undefined) throw unusable(problem);
}

/** A 503 where one of these streams is damaged or parked (design: "Read models"). */
export async function refuseParked(
  { readModels, damage }: ParkedIn,
  isConcerned: (stream: string) => boolean,
): Promise<void> {
  for (const [stream, problem] of damage?.streams ?? []) if (isConcerned(stream)) throw unusable(problem);
  const broken = await readModels.parkedStreams();
  if (broken.some(({ stream }) => isConcerned(stream)))
    throw new HttpError('unavailable', {
      message: 'What this endpoint shows cannot be brought up to date at the moment. Try again later.',
      headers: { 'retry-after': '60' },
      reason: 'broken projection',
    });
}
