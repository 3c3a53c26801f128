import { fileURLToPath } from 'node:url';

/** A file of `test/servers/tls`. */
export const tlsFile = (name: string): string =>
  fileURLToPath(new URL(`../../servers/tls/${name}`, import.meta.url));

/** The stand-in's arguments for a certificate of that name. */
export const tlsOf = (name: 'issued' | 'server'): string[] => [
  '--cert',
  tlsFile(`${name}.crt`),
  '--key',
  tlsFile(`${name}.key`),
];
