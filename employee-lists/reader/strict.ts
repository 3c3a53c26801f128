/** What the service refuses in valid JSON (`json-scanner.ts`). */
export enum Breach {
  none,
  nul,
  surrogate,
  repeatedName,
  forbiddenName,
  nesting,
}

export let breach: Breach = Breach.none;
export let breachAt: usize = 0;

export function forgetBreach(): void {
  breach = Breach.none;
}

export function noteBreach(what: Breach, at: usize): void {
  if (breach != Breach.none) return;
  breach = what;
  breachAt = at;
}
