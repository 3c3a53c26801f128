import { managers } from '@rollcall/domain';
import type { FastifyContextConfig } from 'fastify';

export interface Refusal {
  readonly message: string;
  readonly errors: readonly string[];
  /** Made only where the body has one. */
  readonly operationId: () => string;
}

export type ErrorBody = NonNullable<FastifyContextConfig['errorBody']>;

/** The most problems in the one string of a manager import's 400; then `and N more` (docs/contract, "400 body"). */
const mostInOneString = 20;

/** Each endpoint's own body of a 400 (docs/contract, "Everywhere", "400"). */
export const refusalBodies: Readonly<Record<ErrorBody, (refusal: Refusal) => object | string>> = {
  message: ({ message, errors }) => ({ Message: message, ValidationErrors: errors }),
  employees: ({ errors, operationId }) => ({ ApiOperationId: operationId(), ValidationErrors: errors }),
  managers: ({ errors }) => managers.refusalText(shortened(errors)),
};

/** The domain's own list is that short already, with its `and N more` at the end. */
function shortened(errors: readonly string[]): readonly string[] {
  if (errors.length <= mostInOneString + 1) return errors;
  return [...errors.slice(0, mostInOneString), `and ${errors.length - mostInOneString} more`];
}
