#!/usr/bin/env node
import { buildIfStale } from './build-if-stale.js';

buildIfStale();
const { processIo, run } = await import('../dist/index.js');
process.exitCode = await run(process.argv.slice(2), processIo());
