import { CompanyPath, EmployeeRows, EmployeesQuery, employeeRowExample } from '@rollcall/contracts';
import {
  type EmployeeSet,
  EmployeeSetReplaced,
  type ReadModelReader,
  type RowBatch,
  readEmployeeSet,
  readOrderedRows,
  readRowOf,
  type WantedSet,
} from '@rollcall/application';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { withInvitationDates } from '../employees/invitation-dates.js';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { countedRows, reportRead } from '../http/counted-reads.js';
import { startedArray, firstPage, nextPage, unsentBytes, type PageTexts } from '../http/json-array.js';
import { pageHeaders, revisionHeaders } from '../http/header-schemas.js';
import { errorResponses, jsonResponse, readErrors } from '../http/responses.js';
import type { RouteDependencies, Routes } from '../route-dependencies.js';
import { HttpError, invalidRequest } from '../http/errors.js';

const schema = {
  tags: ['Employees'],
  operationId: 'listEmployees',
  summary: 'All employees, a page of them, or one',
  description:
    'In the order of Id. Without `Top` all are streamed in one answer. All of it is one set, that of the ETag, and so are the pages to which `Link` leads. With `EmployeeID` only the one who has it, or nobody. Needs the role HRIntegration or Auditor.',
  params: CompanyPath,
  querystring: EmployeesQuery,
  response: {
    200: jsonResponse('With Top, Link leads to the next page', EmployeeRows, [employeeRowExample], {
      ...revisionHeaders,
      ...pageHeaders,
    }),
    ...readErrors,
    ...errorResponses(412),
  },
};

export const employeesGetRoutes: Routes = (app, kit) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/Employee',
    onRequest: kit.guards.reader,
    schema,
    handler: async (request, reply) => {
      const [{ companyId, userId }, { query }] = [callerOf(request), request];
      await refuseParked(kit, (stream) => stream === `company-${companyId}`);
      const wanted = { companyId, ...query, revision: query.Revision, now: kit.clock.now() };
      refuseParts(wanted);
      const isHead = request.method === 'HEAD';
      const reading = {
        ...kit,
        report: isHead ? () => undefined : reportRead(kit, request, 'employees'),
        hold: (bytes: number) =>
          kit.bodies.holdUntilRead(userId, bytes + Math.min(bytes, unsentBytes), reply.raw),
      };
      const { etag, link, body } =
        isHead && wanted.Top === undefined
          ? await head(kit.readModels, wanted)
          : await ofOneSet(wanted, () => answerOf(reading, wanted, reply.raw));
      reply.type('application/json; charset=utf-8');
      if (etag !== undefined) reply.header('etag', etag);
      if (link !== undefined) reply.header('link', link);
      return reply.send(isHead ? nothing() : body);
    },
  });
};

function refuseParts({ EmployeeID, Top, After }: EmployeesQuery): void {
  if (EmployeeID !== undefined && (Top ?? After) !== undefined)
    throw invalidRequest(["Query parameter 'EmployeeID' does not go together with Top and After"]);
}

interface Wanted extends EmployeesQuery, WantedSet {
  readonly companyId: number;
}

interface Answer {
  readonly etag: string | undefined;
  readonly link?: string | undefined;
  readonly body: Readable | Buffer;
}

/** New attempts when a set is replaced and deleted before the answer's first byte. */
const maxSetAttempts = 3;

/** A set that is gone is refused if the caller named it; otherwise a newer one is read. */
async function ofOneSet<T>({ Revision }: Wanted, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof EmployeeSetReplaced)) throw error;
      if (Revision !== undefined)
        throw new HttpError('precondition-failed', {
          message: 'The set of this Revision cannot be read any more. Begin again with the first page.',
        });
      if (attempt === maxSetAttempts) throw error;
    }
}

const etagOf = (set: EmployeeSet | undefined): string | undefined => set && `"${set.revision}"`;

interface Reading extends Pick<RouteDependencies, 'imports' | 'readModels'> {
  readonly report: (rows: number) => void;
  readonly hold: (bytes: number) => undefined;
}

/** Not undefined, for which Fastify sends `Content-Length: 0`. */
const nothing = (): Readable => Readable.from([]);

const head = (readModels: ReadModelReader, wanted: Wanted): Promise<Answer> =>
  ofOneSet(wanted, async () => {
    const set = await readEmployeeSet(readModels, wanted.companyId, wanted);
    return { etag: etagOf(set), body: nothing() };
  });

/** `EmployeeSetReplaced` before the first byte; after it the answer is cut off. */
async function answerOf(
  { imports, readModels, report, hold }: Reading,
  { companyId, EmployeeID, Top, After, ...wanted }: Wanted,
  raw: FastifyReply['raw'],
): Promise<Answer> {
  const set = await readEmployeeSet(readModels, companyId, wanted);
  const etag = etagOf(set);
  if (set === undefined) return { etag, body: Buffer.from('[]') };
  const shown = (rows: AsyncIterable<RowBatch>): AsyncGenerator<PageTexts> =>
    countedRows(withInvitationDates(readModels, companyId, rows), (count) =>
      report(Math.min(count, Top ?? count)),
    );
  if (EmployeeID !== undefined) {
    const found = await imports.findEmployee(companyId, EmployeeID);
    return { etag, body: await startedArray(shown(readRowOf(readModels, set, EmployeeID, found)), raw) };
  }
  const rows = (limit?: number): AsyncGenerator<PageTexts> =>
    shown(readOrderedRows(readModels, set, { after: After, limit, hold }));
  if (Top === undefined) return { etag, body: await startedArray(rows(), raw) };
  const { json, last } = await firstPage(rows(Top + 1), Top);
  if (last === undefined) return { etag, body: json };
  const next = { Top, After: last, Revision: set.revision };
  return { etag, body: json, link: nextPage(`/v1.0/Company/${companyId}/Employee`, next) };
}
