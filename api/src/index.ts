export { buildApp } from './app.js';
export { operationsPage } from './operations/page.js';
export { readServerConfig, type ServerConfig } from './config.js';
export * from './deps.js';
export { RevocationCache } from './http/revocation-cache.js';
export { startApi } from './start-api.js';
