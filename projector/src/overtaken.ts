import { ReadModelsUnavailable } from '@rollcall/application/read';

/** Another process is ahead; finished work is skipped next time. */
export class Overtaken extends ReadModelsUnavailable {
  override readonly name = 'Overtaken';
}
