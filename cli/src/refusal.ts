/** Understood but not carried out, or a failed check: exit code 1, the message on stderr. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Invalid values or options: exit code 2, before any store is opened. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
}

/** A check did not finish because a store was away: exit code 3. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
