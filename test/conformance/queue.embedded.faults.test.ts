import type { Test } from 'tap';
import { queueCrashConformance } from './queue.suite.js';

const conformance = { adapter: 'embedded', locate: (t: Test) => t.testdir(), time: 'manual' } as const;
queueCrashConformance(conformance, { keepsDelivered: false });
