/** One line of `rollcall doctor`. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was found. Without secrets. */
  readonly text: string;
  /** What to do; null where all is well. */
  readonly advice: string | null;
}

export const green = (name: string, text: string): Check => ({ name, ok: true, text, advice: null });
export const red = (name: string, text: string, advice: string): Check => ({ name, ok: false, text, advice });
