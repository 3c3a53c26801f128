import { eventLogConformance } from './event-log.suite.js';

eventLogConformance('embedded', (t) => t.testdir());
