export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** No secrets. */
  readonly text: string;
  readonly advice: string | null;
}

export const green = (name: string, text: string): Check => ({ name, ok: true, text, advice: null });
export const red = (name: string, text: string, advice: string): Check => ({ name, ok: false, text, advice });
