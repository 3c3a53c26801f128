/** Signs the claims of API tokens with the installation's private key, which never leaves it. */
export interface TokenSigner {
  /** Under which name the public half is known. */
  readonly kid: string;
  /** A JWT with these claims. */
  sign(claims: Readonly<Record<string, unknown>>): string;
}
