import { isArray, isObject, type JsonObject } from '../json/json-shapes.js';
import { describeJsonProblem, parseStrictJson } from '../json/strict-json.js';

/** The body of a manager import, parsed; `validate` says whether a company may send it. */
export interface SentManagerImport {
  readonly members: JsonObject;
}

export type ManagerImportReading =
  | {
      readonly status: 'valid';
      readonly import: SentManagerImport;
      /** Entries of ManagerRoles. */
      readonly elements: number;
    }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** Parses a body. Whether it is valid besides, by the company's settings, is asked of `validate`. */
export function readManagerImport(body: Uint8Array): ManagerImportReading {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return { status: 'invalid', problems: [describeJsonProblem(parsed.problem)] };
  const members = parsed.value;
  if (!isObject(members))
    return { status: 'invalid', problems: ['The body must be an object with ManagerRoles'] };
  const roles = members['ManagerRoles'];
  return { status: 'valid', import: { members }, elements: isArray(roles) ? roles.length : 0 };
}
