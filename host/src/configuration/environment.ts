import { envSchema } from 'env-schema';
import { Type, type Static, type TObject } from 'typebox';
import { ConfigInvalid } from '@rollcall/adapters';
import { withSecretFiles } from './secret-files.js';

/** One of these values; the first is the default. */
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: values[0] });

/** Empty variables are unset. Variables with `..._FILE` may be read from a file. `ConfigInvalid` names each bad one. */
export function readEnvironment<T extends TObject>(schema: T, env: NodeJS.ProcessEnv): Static<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { data, problems } = withSecretFiles(Object.keys(schema.properties), given);
  if (problems.length > 0) throw new ConfigInvalid(problems.join('; '));
  try {
    return envSchema<Static<T>>({ schema, data, env: false });
  } catch (error) {
    throw new ConfigInvalid(problemsOf(error).join('; '));
  }
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
      return `${instancePath.slice(1)} ${rule}`;
    },
  );
}
