#!/usr/bin/env node
import { bundleIfStale } from './bundle.js';

await bundleIfStale();
await import('../../dist/rollcall.js');
