export { buildApp } from './app.js';
export { ConfigInvalid, readServerConfig, type ServerConfig } from './config.js';
export * from './deps.js';
export { maxKnowledgeAgeMs } from './http/api-user-knowledge.js';
export type { ApiApp } from './http/fastify-types.js';
export { createLogger } from './http/request-log.js';
export { openImportPool } from './imports/import-pool.js';
export { startApi, type RunningApi, type StartApiOptions } from './start-api.js';
export { ImportEngine, type ImportEngineDeps } from './imports/import-engine.js';
