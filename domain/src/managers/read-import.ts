import {
  isArray,
  isObject,
  type JsonObject,
  describeJsonProblem,
  parseStrictJson,
} from '@rollcall/employee-lists/text';

export interface SentManagerImport {
  readonly members: JsonObject;
}

export type ManagerImportReading =
  | {
      readonly status: 'valid';
      readonly import: SentManagerImport;
      readonly elements: number;
    }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

export function readManagerImport(body: Uint8Array): ManagerImportReading {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return { status: 'invalid', problems: [describeJsonProblem(parsed.problem)] };
  const members = parsed.value;
  if (!isObject(members))
    return { status: 'invalid', problems: ['The body must be an object with ManagerRoles'] };
  const roles = members['ManagerRoles'];
  return { status: 'valid', import: { members }, elements: isArray(roles) ? roles.length : 0 };
}
