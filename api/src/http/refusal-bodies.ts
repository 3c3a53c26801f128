import { managers } from '@rollcall/domain';
import type { FastifyContextConfig } from 'fastify';

export interface Refusal {
  readonly message: string;
  readonly errors: readonly string[];
  readonly operationId: () => string;
}

export type ErrorBody = NonNullable<FastifyContextConfig['errorBody']>;

/** Problems in the one string of a manager import's 400, before `and N more` (docs/contract, "400 body"). */
const maxErrorsInString = 20;

/** Each endpoint's 400 body (docs/contract, "Everywhere", "400"). */
export const refusalBodies: Readonly<Record<ErrorBody, (refusal: Refusal) => object | string>> = {
  message: ({ message, errors }) => ({ Message: message, ValidationErrors: errors }),
  employees: ({ errors, operationId }) => ({ ApiOperationId: operationId(), ValidationErrors: errors }),
  managers: ({ errors }) => managers.refusalText(shortened(errors)),
};

/** The domain's list already ends with `and N more`. */
function shortened(errors: readonly string[]): readonly string[] {
  if (errors.length <= maxErrorsInString + 1) return errors;
  return [...errors.slice(0, maxErrorsInString), `and ${errors.length - maxErrorsInString} more`];
}
