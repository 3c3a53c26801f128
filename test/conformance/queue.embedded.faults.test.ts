import { queueCrashConformance } from './queue.suite.js';

queueCrashConformance({ adapter: 'embedded', locate: (t) => t.testdir(), time: 'manual' });
