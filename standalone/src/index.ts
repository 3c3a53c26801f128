export { readStandaloneConfig } from './config.js';
export { startStandalone } from './start-standalone.js';
