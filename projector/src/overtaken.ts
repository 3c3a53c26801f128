import { ReadModelsUnavailable } from '@rollcall/application/read';

/** Somebody else has moved the progress, or is ahead within an event: that one goes on, and what is done is skipped the next time. */
export class Overtaken extends ReadModelsUnavailable {
  override readonly name = 'Overtaken';
}
