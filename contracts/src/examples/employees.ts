import type { EmployeeBody, EmployeeRow, ImportErrors, ImportResult } from '../http/employees.js';

const employment = {
  Gender: 1,
  EmploymentStatus: 0,
  Birthday: '1990-05-17',
  JobTitle: 'Engineer',
  Department: 'Research',
  Role: 'Specialist',
  ImmediateManager: 'A-1',
} as const;

export const employeesExample: EmployeeBody[] = [
  {
    EmployeeID: 'A-17',
    InvitationDate: '2026-12-01T07:00:00Z',
    Firstname: 'Ada',
    Lastname: 'Example',
    Phonenumber: '+4512345678',
    Email: 'ada@example.com',
    ...employment,
    Dimensions: { Division: 'North' },
  },
];

export const employeeRowExample: EmployeeRow = {
  Id: 1,
  EmployeeID: 'A-17',
  ExternalId: 'A-17',
  CompanyId: 7,
  Firstname: 'Ada',
  Lastname: 'Example',
  Fullname: 'Ada Example',
  Email: 'ada@example.com',
  Phonenumber: '+4512345678',
  ContactNumber: '+4512345678',
  ...employment,
  Dimensions: { Department: 'Research', Division: 'North', ImmediateManager: 'A-1', Role: 'Specialist' },
  SourcedFromExternalSystem: true,
  Locked: false,
  FirstInvitationDate: '2026-12-01T07:00:00Z',
};

export const importResultExample: ImportResult = {
  ApiOperationId: '019aa2f0-5c00-7000-8000-000000000001',
  Inserted: 1,
  Updated: 0,
  Removed: 0,
  WasQueued: false,
  IgnoredFields: null,
};

export const queuedResultExample: ImportResult = {
  ApiOperationId: '019aa2f0-5c00-7000-8000-000000000001',
  Inserted: 0,
  Updated: 0,
  Removed: 0,
  WasQueued: true,
  IgnoredFields: null,
};

export const importErrorsExample: ImportErrors = {
  ApiOperationId: '019aa2f0-5c00-7000-8000-000000000002',
  ValidationErrors: ["[17] EmployeeID 'A-17': Phonenumber must match ^\\+[0-9]{6,20}$"],
};
