import { readFileSync } from 'node:fs';

type Variables = Readonly<Record<string, string | undefined>>;

const suffix = '_FILE';

export interface FromFiles {
  readonly data: Variables;
  readonly problems: readonly string[];
}

/** `X_FILE` names a file with the value of `X`, as for container secrets. One final newline is dropped. */
export function withSecretFiles(names: readonly string[], data: Variables): FromFiles {
  const problems: string[] = [];
  const read: Record<string, string> = {};
  const secrets = names.filter((name) => names.includes(`${name}${suffix}`));
  for (const name of secrets) {
    const file = data[`${name}${suffix}`];
    if (file === undefined) continue;
    const { value, problem } = data[name] === undefined ? readSecret(file) : bothSet(name);
    if (problem !== undefined) problems.push(`${name}${suffix} ${problem}`);
    else read[name] = value;
  }
  return { data: { ...data, ...read }, problems };
}

type Read =
  { readonly value: string; readonly problem?: never } | { readonly value?: never; readonly problem: string };

const bothSet = (name: string): Read => ({ problem: `and ${name} are both set: leave one of them out` });

function readSecret(file: string): Read {
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return value.trim() === '' ? { problem: `names an empty file: ${file}` } : { value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { problem: `names a file that cannot be read (${code}): ${file}` };
  }
}
