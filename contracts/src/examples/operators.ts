import type { OperatorSignedIn, OperatorSignedOut } from '../events/operator-events.js';

const sessionHash = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d';

export const operatorEventExamples: {
  readonly OperatorSignedIn: OperatorSignedIn;
  readonly OperatorSignedOut: OperatorSignedOut;
} = {
  OperatorSignedIn: {
    name: 'Ada',
    role: 'Operator',
    companyId: 7,
    sessionHash,
  },
  OperatorSignedOut: { sessionHash },
};
