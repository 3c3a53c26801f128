export { toHex } from '../list/digests.js';
export { fieldNames, type EmployeeReading, valuesText } from '../list/read-employee.js';
export * from '../list/hostile-lists.testing.js';
export * from '../list/lists.testing.js';
export * from '../list/respelled.testing.js';
export { maxIgnoredNames } from '../json/json-shapes.js';
export { exactly } from './exactly.js';
export { scaled } from './scaled.js';
