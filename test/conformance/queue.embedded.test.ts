import { queueConformance } from './queue.suite.js';

queueConformance({ adapter: 'embedded', locate: (t) => t.testdir(), time: 'manual' });
