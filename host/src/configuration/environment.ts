import { envSchema } from 'env-schema';
import { Type, type Static, type TObject } from 'typebox';
import { ConfigInvalid } from '@rollcall/adapters';
import { readFileSync } from 'node:fs';
import { processAddresses } from './page-config.js';

/** One of these values; the first is the default. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: values[0] });

/** `ConfigInvalid` where the choice (such as `QUEUE=nats`) lacks what it needs. */
export function requiredFor(choice: string, name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigInvalid(`${name} must be set for ${choice}`);
  return value;
}

export const withoutBlank = (env: NodeJS.ProcessEnv): Variables =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim() !== ''));

/**
 * Blank variables are unset. Variables with `..._FILE` may be read from a file. `ConfigInvalid` names each bad one. `problemsIn` sees them
 * before defaults are set.
 */
export function readEnvironment<T extends TObject>(
  schema: T,
  env: NodeJS.ProcessEnv,
  problemsIn: (given: Variables) => readonly string[] = () => [],
): Static<T> {
  const { data, problems: ofFiles } = withSecretFiles(Object.keys(schema.properties), withoutBlank(env));
  const problems = [...ofFiles, ...problemsIn(data)];
  if (problems.length > 0) throw new ConfigInvalid(problems.join('; '));
  try {
    return withAddresses(envSchema<Static<T>>({ schema, data, env: false }));
  } catch (error) {
    throw error instanceof ConfigInvalid ? error : new ConfigInvalid(problemsOf(error).join('; '));
  }
}

/** Their patterns accept what `URL` refuses, such as the port 99999. A value may hold a password: no message shows it. */
const addressVariables = ['ANCHOR_URL', 'OPERATIONS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'PROCESS_ADDRESSES'];

function withAddresses<V extends object>(vars: V): V {
  for (const [name, value] of Object.entries(vars)) {
    const addresses = name === 'PROCESS_ADDRESSES' ? processAddresses(String(value)) : [String(value)];
    if (addressVariables.includes(name) && !addresses.every((address) => URL.canParse(address)))
      throw new ConfigInvalid(`${name} is no address: its host or its port is not valid`);
  }
  return vars;
}

interface SchemaProblem {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: { readonly allowedValues?: readonly string[] };
}

function problemsOf(error: unknown): string[] {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors))
    return [String(error)];
  return (error.errors as readonly SchemaProblem[]).map(
    ({ instancePath, message = 'is not valid', params }) => {
      const rule = params.allowedValues ? `must be one of ${params.allowedValues.join(', ')}` : message;
      const hint = 'pattern' in params ? ': docs/configuration.md says what it is' : '';
      return `${instancePath.slice(1)} ${rule}${hint}`;
    },
  );
}

export type Variables = Readonly<Record<string, string | undefined>>;

const suffix = '_FILE';

/** `X_FILE` names a file with the value of `X`, as for container secrets. One final newline is dropped. */
function withSecretFiles(names: readonly string[], data: Variables) {
  const problems: string[] = [];
  const read: Record<string, string> = {};
  for (const name of names.filter((each) => names.includes(`${each}${suffix}`))) {
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
