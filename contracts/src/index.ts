export * from './events/api-user-events.js';
export * from './events/catalogue.js';
export * from './events/company-events.js';
export * from './events/metadata.js';
export * from './events/staged.js';
export * from './events/survey-events.js';
export * from './events/upcast.js';
