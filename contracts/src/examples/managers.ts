import type { ManagerImportBody, Managers } from '../http/managers.js';

export const managerImportExample: ManagerImportBody = {
  ManagerRoles: [
    {
      DimensionName: 'Division',
      DepartmentName: 'Harbour',
      FirstName: 'Ada',
      LastName: 'Example',
      Email: 'ada@example.com',
      PrimaryContact: true,
    },
    {
      DimensionName: 'Department',
      DepartmentName: 'Cranes',
      FirstName: 'Bo',
      LastName: 'Example',
      Email: 'bo@example.com',
      PrimaryContact: false,
    },
  ],
  DepartmentHierarchy: { Harbour: 'Coast', Coast: null },
};

export const managerResultExample = 'Successfully created 2, disabled 1 roles and locked 0 users.';

export const managerErrorExample =
  'ManagerRoles[3].Email must be a valid e-mail address of at most 254 characters; ManagerRoles[7].LastName is required';

export const managersExample: Managers = {
  Users: [
    { Id: 1, FirstName: 'Ada', LastName: 'Example', Email: 'ada@example.com', Locked: false },
    { Id: 2, FirstName: 'Bo', LastName: 'Example', Email: 'bo@example.com', Locked: false },
    { Id: 3, FirstName: 'Cy', LastName: 'Example', Email: 'cy@example.com', Locked: true },
  ],
  Roles: [
    {
      UserId: 1,
      DimensionName: 'Division',
      DepartmentName: 'Harbour',
      PrimaryContact: true,
      Enabled: true,
    },
    {
      UserId: 2,
      DimensionName: 'Department',
      DepartmentName: 'Cranes',
      PrimaryContact: false,
      Enabled: true,
    },
    {
      UserId: 3,
      DimensionName: 'Department',
      DepartmentName: 'Cranes',
      PrimaryContact: false,
      Enabled: false,
    },
  ],
  Departments: [
    { Id: 1, DimensionName: 'Division', Name: 'Harbour', Parent: 'Coast' },
    { Id: 2, DimensionName: 'Department', Name: 'Cranes', Parent: null },
    { Id: 3, DimensionName: 'Division', Name: 'Coast', Parent: null },
  ],
};
