import { eventLogCrashConformance } from './event-log.suite.js';

eventLogCrashConformance('embedded', (t) => t.testdir());
