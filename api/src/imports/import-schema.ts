import { CompanyPath, ImportResult, queuedResultExample } from '@rollcall/contracts';
import type { TObject, TSchema } from 'typebox';
import { ImportHeaders, previewHeaders, queuedHeaders, replayedHeaders } from '../http/header-schemas.js';
import { described, errorResponses, jsonResponse } from '../http/responses.js';

interface Documented {
  readonly schema: TSchema;
  readonly example: unknown;
}

export interface ImportDocumentation {
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly querystring: TObject;
  readonly body: Documented;
  /** The 200. */
  readonly done: Documented;
  /** The 400. */
  readonly refused: Documented;
}

/** The schema of an import's route: what both imports have in common, with its answers. */
export const importSchema = (endpoint: ImportDocumentation) => {
  const { tag, operationId, summary, description, querystring, body, done, refused } = endpoint;
  const carriedOut = 'Carried out, or with dryRun=true rehearsed';
  return {
    tags: [tag],
    operationId,
    summary,
    description,
    params: CompanyPath,
    querystring,
    headers: ImportHeaders,
    body: described(body.schema, body.example),
    response: {
      200: jsonResponse(carriedOut, done.schema, done.example, { ...replayedHeaders, ...previewHeaders }),
      202: jsonResponse('Queued; it runs in its turn', ImportResult, queuedResultExample, queuedHeaders),
      ...errorResponses(401, 408, 409, 412, 413, 415, 422, 429, 500, 503),
      400: jsonResponse('Refused; nothing changed', refused.schema, refused.example),
    },
  };
};
