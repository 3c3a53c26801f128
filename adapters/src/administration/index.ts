export * from './api-users.js';
export * from './companies.js';
export * from './tokens.js';
export * from './templates.js';
