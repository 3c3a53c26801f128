export interface TokenSigner {
  readonly kid: string;
  sign(claims: Readonly<Record<string, unknown>>): string;
}
