import { causeText } from '../output.js';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** No secrets. */
  readonly text: string;
  readonly advice: string | null;
}

/** A failure of the checks themselves. */
export async function* orRed(name: string, checks: AsyncIterable<Check>): AsyncIterable<Check> {
  try {
    yield* checks;
  } catch (error) {
    yield red(name, causeText(error), 'Mend that, and run rollcall doctor again.');
  }
}

export const green = (name: string, text: string): Check => ({ name, ok: true, text, advice: null });
export const red = (name: string, text: string, advice: string): Check => ({ name, ok: false, text, advice });
