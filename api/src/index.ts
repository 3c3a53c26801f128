export { buildApp } from './app.js';
export * from './deps.js';
export { ApiUserKnowledge, everyByTimer, maxKnowledgeAgeMs } from './http/api-user-knowledge.js';
export type { ApiApp } from './http/fastify-types.js';
export { createLogger, logRedaction } from './http/request-log.js';
