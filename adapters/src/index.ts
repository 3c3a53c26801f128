export * from './open-adapters.js';
export * from './read-models/embedded/open.js';
export * from './read-models/port.js';
