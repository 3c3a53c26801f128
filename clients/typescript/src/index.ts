export { type ClientOptions, rollcallClient, type RollcallClient } from './client.js';
export type { components, operations, paths } from './schema.js';
export {
  type ApiCall,
  type Employee,
  type Rehearsal,
  RollcallError,
  syncEmployees,
  type SyncOptions,
  type SyncResult,
} from './sync-employees.js';
