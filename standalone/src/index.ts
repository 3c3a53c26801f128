export { startStandalone, type RunningStandalone } from './start-standalone.js';
