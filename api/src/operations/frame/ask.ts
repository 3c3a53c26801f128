import type { OpenSession, OperatorSessions } from '@rollcall/application';
import type { CallContext, Operator } from '@rollcall/contracts';
import type { FastifyRequest } from 'fastify';
import { callOf } from '../../http/call.js';
import { HttpError } from '../../http/errors.js';
import type { RouteDependencies } from '../../route-dependencies.js';
import { numberIn } from '../imports/import-filter.js';
import { ownOrigin } from '../session/origin.js';
import type { CompanyDecisions } from './company-decisions.js';

export interface Ask<Q = object> {
  readonly kit: RouteDependencies;
  readonly company: CompanyDecisions;
  readonly operator: Operator;
  readonly now: number;
  readonly query: Q;
  readonly params: Readonly<Record<string, string>>;
  /** Path and query. */
  readonly url: string;
  /** Of the page, and of the API. */
  readonly origin: string;
  /** A new one for each form. */
  readonly token: () => string;
  readonly requestId: string;
}

export interface ActionAsk extends Ask {
  readonly form: Readonly<Record<string, string>>;
  /** Of the form, which is taken once. */
  readonly operationId: string;
  readonly receivedAt: string;
}

const textsOf = (given: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((given ?? {}) as Record<string, unknown>).map(([name, value]) => [
      name,
      String([value].flat()[0]),
    ]),
  );

export const fieldsOf = ({ body }: FastifyRequest): Record<string, string> => textsOf(body);

export const askOf = <Q>(
  { kit, company, sessions }: Pick<Ask, 'kit' | 'company'> & { readonly sessions: OperatorSessions },
  request: FastifyRequest,
  session: OpenSession,
): Ask<Q> => ({
  ...{ kit, company, operator: session.operator, now: kit.clock.now() },
  token: () => sessions.formToken(session),
  query: request.query as Q,
  params: textsOf(request.params),
  url: request.url,
  origin: ownOrigin(request, kit.config.operationsUrl) ?? '',
  requestId: request.id,
});

export const actionAskOf = (ask: Ask, request: FastifyRequest, operationId: string): ActionAsk => ({
  ...ask,
  form: fieldsOf(request),
  operationId,
  receivedAt: callOf(request).receivedAt,
});

/** Whether this operator may see the company. */
export const sees = ({ operator }: Ask, companyId: number): boolean =>
  operator.companyId === null || operator.companyId === companyId;

/** The company that a path or a filter names. A 404 for another operator's, as for none. */
export function companyIn(ask: Ask, text: string | undefined): number {
  const companyId = numberIn(text);
  if (companyId === undefined || !sees(ask, companyId)) throw new HttpError('not-found');
  return companyId;
}

const usernameOf = ({ operator }: Pick<Ask, 'operator'>): string => `operator:${operator.name}`;

/** Why an action is done, by whom: for its events. A look has no reason. */
export const contextOf = (
  ask: Pick<ActionAsk, 'operator' | 'operationId' | 'receivedAt'>,
  companyId: number | null,
  reason?: string,
): CallContext => ({
  companyId,
  operationId: ask.operationId,
  userId: null,
  username: usernameOf(ask),
  causationId: null,
  receivedAt: ask.receivedAt,
  ...(reason !== undefined && { reason }),
});

interface Looked {
  readonly companyId: number;
  /** As `employees`: what is shown. */
  readonly what: string;
  readonly rows: number;
}

/** Counts personal data that is shown, as the API's reads are (docs/event-log.md). */
export const countRead = (ask: Ask, looked: Looked): void =>
  ask.kit.access.read({ ...looked, userId: null, username: usernameOf(ask), requestId: ask.requestId });
