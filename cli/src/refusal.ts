/** The command was understood and not carried out, or a check failed: exit code 1, and this message on stderr. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** A check came to no end, because a store was away: neither whole nor broken. Exit code 3. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
