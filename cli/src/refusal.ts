/** The command was understood and not carried out, or a check failed: exit code 1, and this message on stderr. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
