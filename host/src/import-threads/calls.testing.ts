import type { BareImportRequest } from '@rollcall/application';

/** An invented call, without its body. */
export const bareCall: BareImportRequest = {
  kind: 'employees',
  companyId: 7,
  context: {
    companyId: 7,
    operationId: '0193b2a0-0000-7000-8000-000000000001',
    userId: 1,
    username: 'HR',
    causationId: null,
    receivedAt: '2026-11-02T10:00:00.000Z',
  },
  method: 'PUT /v1.0/Company/7/Employee',
  dryRun: false,
  prefersAsync: false,
  ifMatch: null,
};
