/** An environment variable is missing or unusable. The message names it, in one line. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
}
