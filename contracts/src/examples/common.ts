import {
  type InvalidRequestBody,
  type MessageBody,
  type ServerErrorBody,
  unauthorizedMessage,
} from '../http/common.js';

import type { CompanyLimits, EnabledLanguages } from '../http/company-limits.js';

export const unauthorizedExample: MessageBody = { Message: unauthorizedMessage };

export const invalidRequestExample: InvalidRequestBody = {
  Message: 'The request is not valid.',
  ValidationErrors: ["Query parameter 'Top' must be an integer from 1 to 100"],
};

export const serverErrorExample: ServerErrorBody = {
  Message: 'An unexpected error happened. Give the ApiOperationId when you report it.',
  ApiOperationId: '019aa2f0-5c00-7000-8000-000000000003',
};

export const enabledLanguagesExample: EnabledLanguages = [
  { id: 1045, label: 'English', code: 'en' },
  { id: 1041, label: 'Danish', code: 'da' },
];

export const companyLimitsExample: CompanyLimits = {
  BatchLimit: 25,
  BatchLimitFrom: 100,
  OverLimit: 'refuse',
  QueueThreshold: 1000,
  QueueBodyBytes: 8_388_608,
  EmployeeBodyLimit: 268_435_456,
  ManagerBodyLimit: 16_777_216,
  BodyLimit: 1_048_576,
  RateLimitPerMinute: 6000,
  PendingImports: 0,
  MostPendingImports: 1000,
};
