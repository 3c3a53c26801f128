/** The command was understood and not carried out, or a check failed: exit code 1, and this message on stderr. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** A value that no installation would take, or options that do not go together: exit code 2. Found before any store is opened. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
}

/** A check came to no end, because a store was away: neither whole nor broken. Exit code 3. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
