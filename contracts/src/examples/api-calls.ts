import type { ApiCall } from '../http/api-calls.js';

export const apiCallExample: ApiCall = {
  ApiOperationId: '019aa2f0-5c00-7000-8000-000000000001',
  UserId: 1,
  Username: 'HR system',
  CreatedOn: '2026-11-21T09:00:00.000Z',
  Method: 'PUT /v1.0/Company/7/Employee',
  HttpStatusCode: 200,
  HttpStatusReason: 'OK',
  CompletedOn: '2026-11-21T09:00:00.120Z',
  Inserted: 1,
  Updated: 0,
  Removed: 0,
  Result: null,
  ValidationErrors: [],
  Progress: null,
};

export const queuedApiCallExample: ApiCall = {
  ...apiCallExample,
  ApiOperationId: '019aa2f0-5c00-7000-8000-000000000002',
  HttpStatusCode: 202,
  HttpStatusReason: 'Processing...',
  CompletedOn: null,
  Inserted: 0,
  Progress: 'Attempt 1: reading, 40 %',
};
