#!/usr/bin/env node
import { buildIfStale } from './build-if-stale.js';

buildIfStale();
await import('../dist/main.js');
