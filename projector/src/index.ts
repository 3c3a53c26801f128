export * from './problems.js';
export * from './projection.js';
export * from './projections/api-calls.js';
export * from './projections/index.js';
export * from './run-projector.js';
